//! What is generated has the function's visibility, whatever it is.
#![deny(warnings, unreachable_pub)]

mod outer {
    pub(crate) mod inner {
        /// Adds.
        #[tool_core::tool]
        pub(in crate::outer) fn add(a: u32, #[state] b: &u32) -> u32 {
            a + b
        }

        pub(crate) struct Shop;

        #[tool_core::tool(tools = tools_of)]
        impl Shop {
            /// Looks.
            #[tool]
            pub(super) fn look(&self) -> u32 {
                7
            }
        }
    }

    pub(crate) fn tools() -> Vec<std::sync::Arc<dyn tool_core::RawTool>> {
        let args = inner::AddArgs { a: 1 };
        assert_eq!(inner::add(args.a, &2), 3);
        let mut tools = inner::Shop::tools_of(std::sync::Arc::new(inner::Shop));
        tools.push(tool_core::erase(inner::Add::new(2)));
        tools
    }
}

fn main() {
    let ids: Vec<String> = outer::tools().iter().map(|tool| tool.id().to_owned()).collect();
    assert_eq!(ids, ["look", "add"]);
}

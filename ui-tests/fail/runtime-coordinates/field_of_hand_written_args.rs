use tool_core::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct LookUpArgs {
    subject: RunId,
}

struct LookUp;

#[async_trait]
impl Tool for LookUp {
    type Args = LookUpArgs;
    type Output = String;
    const ID: &'static str = "look_up";
    const DESCRIPTION: &'static str = "Looks a run up.";

    async fn call(&self, args: LookUpArgs) -> Result<String, ToolError> {
        Ok(args.subject.to_string())
    }
}

fn main() {}

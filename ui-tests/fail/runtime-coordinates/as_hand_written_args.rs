use tool_core::*;

struct LookUp;

#[async_trait]
impl Tool for LookUp {
    type Args = RunId;
    type Output = String;
    const ID: &'static str = "look_up";
    const DESCRIPTION: &'static str = "Looks a run up.";

    async fn call(&self, args: RunId) -> Result<String, ToolError> {
        Ok(args.to_string())
    }
}

fn main() {}

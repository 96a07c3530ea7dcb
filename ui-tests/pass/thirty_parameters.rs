//! As many parameters as an author likes.
#![deny(warnings)]

use tool_core::{testing, tool};

/// Adds.
#[tool]
#[allow(clippy::too_many_arguments)]
fn add(
    p0: u32,
    p1: u32,
    p2: u32,
    p3: u32,
    p4: u32,
    p5: u32,
    p6: u32,
    p7: u32,
    p8: u32,
    p9: u32,
    p10: u32,
    p11: u32,
    p12: u32,
    p13: u32,
    p14: u32,
    p15: u32,
    p16: u32,
    p17: u32,
    p18: u32,
    p19: u32,
    p20: u32,
    p21: u32,
    p22: u32,
    p23: u32,
    p24: u32,
    p25: u32,
    p26: u32,
    p27: u32,
    p28: u32,
    p29: u32,
) -> u32 {
    p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 + p10 + p11 + p12 + p13 + p14 + p15 + p16 + p17 + p18 + p19 + p20 + p21 + p22 + p23 + p24 + p25 + p26 + p27 + p28 + p29
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    assert_eq!(testing::told(Add, "{\"p0\":1, \"p1\":1, \"p2\":1, \"p3\":1, \"p4\":1, \"p5\":1, \"p6\":1, \"p7\":1, \"p8\":1, \"p9\":1, \"p10\":1, \"p11\":1, \"p12\":1, \"p13\":1, \"p14\":1, \"p15\":1, \"p16\":1, \"p17\":1, \"p18\":1, \"p19\":1, \"p20\":1, \"p21\":1, \"p22\":1, \"p23\":1, \"p24\":1, \"p25\":1, \"p26\":1, \"p27\":1, \"p28\":1, \"p29\":1}").await, "30");
}

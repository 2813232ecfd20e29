//! The JSON Schemas in the documents are those of the types.

use std::path::Path;

#[test]
fn schemas_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let schemas = lariat_render::documents::schemas();
    for (name, schema) in &schemas {
        let written = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("every document has one");
        let how = "cargo run -p lariat-render --example schema -- docs/schema";
        assert!(written == format!("{schema:#}\n"), "docs/schema/{name}.json is not up to date: {how}");
    }
    let files = std::fs::read_dir(&folder).expect("the folder is there").count();
    assert_eq!(files, schemas.len(), "there are schemas of no document");
}

//! Writes the JSON Schemas of all documents: `cargo run -p lariat-render --example schema -- docs/schema`.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder to write to")?;
    std::fs::create_dir_all(&folder)?;
    for (name, schema) in lariat_render::documents::schemas() {
        std::fs::write(Path::new(&folder).join(format!("{name}.json")), format!("{schema:#}\n"))?;
    }
    Ok(())
}

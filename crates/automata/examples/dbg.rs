//! temp
use lariat_automata::*;
use lariat_logic::*;
fn main(){
  let mut p=Propositions::default();
  let f=parse(&std::env::args().nth(1).unwrap(), ParseOptions{dialect:Dialect::Spot,..Default::default()}, &mut p).unwrap();
  println!("{}", print(&f.simplified(),&p,Dialect::Spot));
  let o=TranslateOptions::default();
  let mut t=translate(&f,&p,&o).unwrap(); 
  let mut d=degeneralize(&t,&o).unwrap();
  let mut b=to_buchi(&f,&p,&o).unwrap(); 
  println!("{}\n{}\n{}",write_hoa(&t),write_hoa(&d),write_hoa(&b));
}

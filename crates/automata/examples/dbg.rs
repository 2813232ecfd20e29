use lariat_automata::*;
use lariat_logic::*;
fn show(a:&mut Automaton){ println!("acc {:?} init {:?}",a.acceptance,a.initial); for s in a.edges.ids(){ let es=a.edges[s].clone(); for e in es { let c=a.guards.cover(e.guard); println!("{:?} -> {:?} {:?} {:?}",s.0,e.target.0,c,e.marks);} } }
fn main(){
  let mut p=Propositions::default();
  let f=parse(&std::env::args().nth(1).unwrap(), ParseOptions{dialect:Dialect::Spot,..Default::default()}, &mut p).unwrap();
  let o=TranslateOptions::default();
  let mut t=translate(&f,&p,&o).unwrap(); show(&mut t);
  let mut d=degeneralize(&t,&o).unwrap(); show(&mut d);
  let mut b=to_buchi(&f,&p,&o).unwrap(); show(&mut b);
}

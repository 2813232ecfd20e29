//! Random Promela models for reductions: processes that do much by themselves and little together, with everything that
//! makes the order of steps matter.

use crate::Rng;

/// Parts of the language that a model may have.
struct Features {
    rendezvous: bool,
    atomics: bool,
    escapes: bool,
    runs: bool,
    timeouts: bool,
    faults: bool,
    polls: bool,
    pool: bool,
    remote: bool,
    carriers: bool,
    dynamic: bool,
    own_channels: bool,
    handing_over: bool,
    ring: bool,
}

/// The text of a model; every process has a variable `x`, and labels `M` and `progress_0`.
pub fn random_model(rng: &mut Rng) -> String {
    let mut flip = |percent| rng.chance(percent);
    let features = Features {
        rendezvous: flip(50),
        atomics: flip(60),
        escapes: flip(15),
        runs: flip(25),
        timeouts: flip(15),
        faults: flip(40),
        polls: flip(15),
        pool: flip(10),
        remote: flip(10),
        carriers: flip(10),
        dynamic: flip(15),
        own_channels: flip(10),
        handing_over: flip(15),
        ring: flip(20),
    };
    let mut writer = Writer { rng, features, kind: 0 };
    writer.model()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    features: Features,
    /// Which proctype is written.
    kind: usize,
}

impl Writer<'_> {
    fn model(&mut self) -> String {
        let capacity = 1 + self.rng.below(2);
        let mut text =
            format!("byte g, h, a[2];\nchan q[3] = [{capacity}] of {{ byte }};\nchan v[2] = [0] of {{ byte }};\n");
        if self.features.carriers {
            text += "chan c = [1] of { chan };\n";
        }
        let kinds = 1 + self.rng.below(3);
        for kind in 0..kinds {
            self.kind = kind;
            text += &format!("proctype P{kind}(chan in; chan out; chan r)");
            if self.rng.chance(8) {
                text += " provided (h != 1)";
            }
            text += " {\n  byte x;\n";
            if self.features.own_channels {
                text += "  chan o = [1] of { byte };\n";
            }
            text += &self.body();
            text += "}\n";
        }
        if self.features.runs {
            text += &format!("proctype C(byte x) {{\n  {};\n  {}\n}}\n", self.childs(), self.childs());
        }
        if self.rng.chance(50) {
            text += &format!("active proctype W() {{ {} }}\n", self.watcher());
        }
        text += "init {\n  atomic {\n";
        let count = 2 + self.rng.below(2);
        for number in 0..count {
            let (kind, mut first, mut second, third) =
                (self.rng.below(kinds), self.rng.below(3), self.rng.below(3), self.rng.below(2));
            if self.features.ring && self.rng.chance(90) {
                (first, second) = (number, (number + 1) % count);
            }
            text += &format!("    run P{kind}(q[{first}], q[{second}], v[{third}]);\n");
        }
        if self.rng.chance(30) {
            text += &format!("    g = {};\n", self.rng.below(2));
        }
        if self.features.ring {
            (0..1 + self.rng.below(2)).for_each(|number| text += &format!("    q[{number}]!{};\n", self.rng.below(2)));
        }
        text += "  }\n";
        if self.features.runs && self.rng.chance(40) {
            text += "; run C(1)\n";
        }
        text + "}\n"
    }

    fn body(&mut self) -> String {
        if self.features.ring {
            return self.ring_body();
        }
        let mut text = String::new();
        let looped = self.rng.chance(30);
        if looped {
            text += "  do ::\n";
        }
        let count = 2 + self.rng.below(4);
        let (marked, progress) = (self.rng.below(count), self.rng.below(count * 2));
        for number in 0..count {
            if number == marked {
                text += "M:";
            }
            if number == progress {
                text += "progress_0:";
            }
            text += &format!("  {};\n", self.compound());
        }
        if looped {
            text += "  :: x > 1 -> break od\n";
        }
        text
    }

    /// A loop that passes messages on.
    fn ring_body(&mut self) -> String {
        let receive = *self.rng.pick(&["in?x", "in?x", "in?x", "in?1", "atomic { in?x; x = 1 - x }", "in??1"]);
        let send = *self.rng.pick(&["out!x", "out!x", "out!1", "atomic { out!x; g = 1 - g }", "out!!1", "skip"]);
        let (first, last) = if self.rng.chance(70) { (receive, send) } else { (send, receive) };
        let also = match self.rng.below(4) {
            0 => format!("  :: {}\n", self.statement()),
            1 => "  :: in?0 -> out!1\n".to_owned(),
            _ => String::new(),
        };
        let between = if self.rng.chance(60) { self.compound() } else { "skip".to_owned() };
        format!("M: do\n  :: {first}; {between};\nprogress_0: {last}\n{also}  od\n")
    }

    fn compound(&mut self) -> String {
        let (first, second) = (self.statement(), self.statement());
        match self.rng.below(14) {
            // What others see of it depends on whether the channel lets it go on.
            8..14 if self.features.handing_over => (*self.rng.pick(&[
                "atomic { h = 1; r!1; h = 0 }",
                "atomic { h = 1; r!1; h = 0 }",
                "x = 1; atomic { r?x; h = 0 }",
                "x = 1; atomic { r?x; h = 0 }",
                "atomic { g = 1; out!1; g = 0 }",
                "atomic { g = 1; in?x; g = 0 }",
                "atomic { r?x; h = 2; r!1; h = 0 }",
                "atomic { h = 1; if :: r!1 :: x = 1 fi; h = 0 }",
            ]))
            .to_owned(),
            0 | 1 if self.features.atomics => format!("atomic {{ {first}; {second} }}"),
            2 if self.features.atomics => {
                let third = self.statement();
                format!("atomic {{ {first}; {second}; {third} }}")
            }
            3 => format!("if :: {first} :: {second} fi"),
            4 => format!("if :: {first} :: else fi"),
            5 if self.features.escapes => {
                let escape = *self.rng.pick(&["g == 1", "in?1", "nempty(in)", "h == 2", "r?x", "x == 1"]);
                format!("{{ {first}; {second} }} unless {{ {escape} }}")
            }
            6 if self.features.atomics => format!("d_step {{ {first}; x = 1 - x; h = x }}"),
            7 if self.features.atomics => format!("if :: atomic {{ {first}; {second} }} :: {} fi", self.statement()),
            8 => format!("do :: {first}; break :: x == 0 -> x = 1 :: else -> break od"),
            _ => first,
        }
    }

    fn statement(&mut self) -> String {
        let value = self.rng.below(2);
        match self.rng.below(24) {
            0..2 => format!("out!{value}"),
            2 => "out!x".to_owned(),
            3..5 => "in?x".to_owned(),
            5 => format!("in?{value}"),
            6 | 7 => "x = (x + 1) % 3".to_owned(),
            8 => format!("g = {value}"),
            9 => format!("g == {value}"),
            10 => format!("h = {}", self.rng.below(3)),
            11 if self.features.faults => format!("assert(x != {value})"),
            12 if self.features.faults => {
                (*self.rng.pick(&["assert(g != 1)", "x = 2 / x", "2 / x > 1", "a[x] = 1", "assert(h != 1)"])).to_owned()
            }
            13 if self.features.polls => {
                (*self.rng.pick(&["len(in) < 1", "nempty(in)", "nfull(out)", "in?[1]", "in??1", "out!!1", "in?<x>"]))
                    .to_owned()
            }
            14 if self.features.pool => (*self.rng.pick(&["_nr_pr < 4", "x = _nr_pr", "x = _pid"])).to_owned(),
            15 if self.features.timeouts => "timeout".to_owned(),
            16 | 17 if self.features.rendezvous => format!("r!{value}"),
            18 | 19 if self.features.rendezvous => (*self.rng.pick(&["r?x", "r?x", "r?1", "v[0]?x"])).to_owned(),
            20 if self.features.carriers => (*self.rng.pick(&["c!in", "c!out", "c?in", "c?out"])).to_owned(),
            21 if self.features.dynamic => {
                (*self.rng.pick(&["a[g % 2] = 1", "a[1] == 0", "x = a[h % 2]", "a[x % 2] = x", "q[g]!1"])).to_owned()
            }
            22 if self.features.runs => "run C(x)".to_owned(),
            23 if self.features.own_channels => (*self.rng.pick(&["o!x", "o?x", "out!x", "nempty(o)"])).to_owned(),
            // What is spoken of must have been declared.
            23 if self.features.remote && self.kind > 0 => {
                (*self.rng.pick(&["P0[1]:x == 0", "P0[1]@M", "x = P0[2]:x"])).to_owned()
            }
            _ => (*self.rng.pick(&["skip", "x > 0", "x = 1", "x = 0", "q[0]!1"])).to_owned(),
        }
    }

    fn childs(&mut self) -> String {
        (*self.rng.pick(&["x = 1 - x", "skip", "g = x", "q[1]!x", "assert(g != 1)", "v[0]!1", "v[0]?x"])).to_owned()
    }

    fn watcher(&mut self) -> String {
        (*self.rng.pick(&[
            "assert(g != 1)",
            "assert(h != 1)",
            "assert(g != h)",
            "g == 1; assert(h == 0)",
            "h == 1; assert(g == 0)",
            "g = 1 - g",
            "v[0]?1",
            "v[1]!1",
            "assert(a[1] == 0)",
            "do :: g = 1 - g od",
            "P0[1]@M; assert(g == 0)",
            "assert(P0[1]:x < 2)",
        ]))
        .to_owned()
    }
}

/// Conditions that a formula may speak of.
pub const CONDITIONS: [&str; 9] =
    ["g == 1", "h == 1", "g == h", "nempty(q[0])", "P0[1]@M", "np_", "P0[2]:x == 1", "_nr_pr > 3", "a[0] == a[1]"];

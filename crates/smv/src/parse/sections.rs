//! Modules, their sections and entries.

use super::{Parser, Read, Stopped};
use crate::token::Token;
use crate::tree::{
    Assign, AssignKind, ConstraintKind, Element, Expr, ExprKind, Ident, Module, Spec, SpecBody, SpecKind, Tree,
    TypeKind, TypeSpec, VarKind,
};
use lariat_base::{Diagnostic, Span};

/// Words that begin a section.
const SECTIONS: &[&str] = &[
    "ASSIGN",
    "COMPASSION",
    "COMPUTE",
    "COMPWFF",
    "CONSTANTS",
    "CONSTRAINT",
    "CTLSPEC",
    "CTLSTARSPEC",
    "CTLWFF",
    "DEFINE",
    "FAIRNESS",
    "FROZENVAR",
    "FUN",
    "INIT",
    "INVAR",
    "INVARSPEC",
    "ISA",
    "ITYPE",
    "IVAR",
    "JUSTICE",
    "LTLSPEC",
    "LTLWFF",
    "MODULE",
    "PSLSPEC",
    "SIMPWFF",
    "SPEC",
    "TRANS",
    "VAR",
];

pub(super) fn begins_section(word: &str) -> bool {
    SECTIONS.contains(&word)
}

impl Parser<'_> {
    pub(super) fn whole(&mut self) -> Tree {
        let mut tree = Tree::default();
        while !matches!(self.token(), Token::End) && !self.report.is_full() {
            if self.is("MODULE") {
                if let Ok(module) = self.module() {
                    tree.modules.push(module);
                }
            } else {
                let _: Read<()> = self.unexpected("`MODULE`");
                while !matches!(self.token(), Token::End) && !self.is("MODULE") {
                    self.advance();
                }
            }
        }
        tree
    }

    fn module(&mut self) -> Read<Module> {
        self.advance();
        let named = self.name("the name of a module");
        let mut parameters = Vec::new();
        let head = named.and_then(|name| {
            let opened = self.span();
            if self.takes("(") && !self.takes(")") {
                loop {
                    parameters.push(self.name("the name of a parameter")?);
                    if !self.takes(",") {
                        break;
                    }
                }
                self.close(")", opened)?;
            }
            Ok(name)
        });
        if head.is_err() {
            self.skip_entry();
        }
        let mut elements = Vec::new();
        while !matches!(self.token(), Token::End) && !self.is("MODULE") && !self.report.is_full() {
            self.section(&mut elements);
        }
        head.map(|name| Module { name, parameters, elements })
    }

    fn section(&mut self, elements: &mut Vec<Element>) {
        if self.begins_array_definitions() {
            // A definition may be an array anyway.
            self.advance();
        }
        let Token::Word(word) = *self.token() else { return self.no_section() };
        if !begins_section(word) && word != "NAME" {
            return self.no_section();
        }
        let begin = self.span();
        self.advance();
        match word {
            "VAR" => self.entries(elements, |parser| parser.variable(VarKind::State)),
            "IVAR" => self.entries(elements, |parser| parser.variable(VarKind::Input)),
            "FROZENVAR" => self.entries(elements, |parser| parser.variable(VarKind::Frozen)),
            "DEFINE" => self.entries(elements, Self::define),
            "ASSIGN" => self.entries(elements, Self::assign),
            "CONSTANTS" => self.constants(elements),
            "PSLSPEC" => self.refused(begin, "PSL formulas are not supported", "write `LTLSPEC` or `CTLSPEC`"),
            "CONSTRAINT" | "ITYPE" => {
                self.refused(begin, &format!("`{word}` sections are not supported"), "write `INVAR` or `DEFINE`");
            }
            "COMPWFF" | "CTLWFF" | "LTLWFF" | "SIMPWFF" => {
                let help = "these are for commands, not for models: state a specification";
                self.refused(begin, &format!("`{word}` is not supported"), help);
            }
            "FUN" => self.refused(begin, "functions over unbounded types are not supported", "use a `DEFINE`"),
            _ => {
                let element = self.single(word, begin);
                match element {
                    Ok(element) => elements.push(element),
                    Err(Stopped) => self.skip_entry(),
                }
            }
        }
    }

    /// Whether `ARRAY DEFINE` stands here. `ARRAY` alone is a name.
    fn begins_array_definitions(&self) -> bool {
        matches!(self.token(), Token::Name(name) if &**name == "ARRAY") && *self.token_after(1) == Token::Word("DEFINE")
    }

    fn refused(&mut self, begin: Span, message: &str, help: &str) {
        self.report.push(Diagnostic::error(begin, "V0110", message).help(help));
        while !matches!(self.token(), Token::End) && !matches!(self.token(), Token::Word(word) if begins_section(word))
        {
            self.advance();
        }
    }

    fn no_section(&mut self) {
        let diagnostic = self.unexpected_here("a section such as `VAR` or `ASSIGN`");
        self.report.push(diagnostic);
        self.advance();
        self.skip_entry();
    }

    /// Entries up to the next section, each read by `read`.
    fn entries(&mut self, elements: &mut Vec<Element>, mut read: impl FnMut(&mut Self) -> Read<Element>) {
        loop {
            match self.token() {
                Token::End => return,
                Token::Word(word) if begins_section(word) || *word == "NAME" => return,
                _ if self.begins_array_definitions() => return,
                _ if self.report.is_full() => return,
                _ => {}
            }
            let entry = read(self).and_then(|element| {
                elements.push(element);
                self.expect(";")
            });
            if entry.is_err() {
                self.skip_entry();
            }
        }
    }

    fn constants(&mut self, elements: &mut Vec<Element>) {
        if self.takes(";") {
            return;
        }
        let read = self.name("a constant").and_then(|first| {
            elements.push(Element::Constant(first));
            while self.takes(",") {
                let more = self.name("a constant")?;
                elements.push(Element::Constant(more));
            }
            if self.is(":=") {
                let help = "these are constants of enumerations; a number with a name is `DEFINE n := 3;`";
                let diagnostic = self.unexpected_here("`;`").help(help);
                self.report.push(diagnostic);
                return Err(Stopped);
            }
            self.expect(";")
        });
        if read.is_err() {
            self.skip_entry();
        }
    }

    fn variable(&mut self, kind: VarKind) -> Read<Element> {
        let name = self.declared_name("the name of a variable")?;
        self.expect(":")?;
        let ty = self.type_spec()?;
        if self.is(":=") || self.is("=") {
            let help = format!("the value at the beginning stands in `ASSIGN`: `init({}) := …;`", name.name);
            let diagnostic = self.unexpected_here("`;`").help(help);
            self.report.push(diagnostic);
            return Err(Stopped);
        }
        Ok(Element::Variable(kind, name, ty))
    }

    /// A name that may have an index or a part: `x[0]` and `a.b` are names of their own where they are declared.
    fn declared_name(&mut self, what: &str) -> Read<Ident> {
        let first = self.name(what)?;
        let (mut name, mut span) = (first.name.to_string(), first.span);
        loop {
            let opened = self.span();
            if self.takes(".") {
                let part = self.part_name()?;
                name = format!("{name}.{}", part.name);
            } else if self.takes("[") {
                let sign = if self.takes("-") { "-" } else { "" };
                let Token::Number(index) = *self.token() else {
                    let help = "an array is declared by its type: `x : array 0..3 of boolean;`";
                    let diagnostic = self.unexpected_here("a number").help(help);
                    self.report.push(diagnostic);
                    return Err(Stopped);
                };
                self.advance();
                self.close("]", opened)?;
                name = format!("{name}[{sign}{index}]");
            } else {
                break;
            }
            span = first.span.to(self.last_span());
        }
        Ok(Ident { name: name.into(), span })
    }

    fn define(&mut self) -> Read<Element> {
        let target = self.path("the name of a definition")?;
        self.expect(":=")?;
        let body = self.expression()?;
        Ok(Element::Define(target, body))
    }

    fn assign(&mut self) -> Read<Element> {
        let kind = match self.token() {
            Token::Word("init") => AssignKind::Init,
            Token::Word("next") => AssignKind::Next,
            _ => AssignKind::Always,
        };
        let target = if kind == AssignKind::Always {
            self.path("`init(…)`, `next(…)` or the name of a variable")?
        } else {
            self.advance();
            let opened = self.span();
            self.expect("(")?;
            let target = self.path("the name of a variable")?;
            self.close(")", opened)?;
            target
        };
        if kind == AssignKind::Always && self.is("(") {
            let diagnostic =
                self.unexpected_here("`:=`").help("only `init(…)` and `next(…)` are assigned to like this");
            self.report.push(diagnostic);
            return Err(Stopped);
        }
        self.expect(":=")?;
        let value = self.expression()?;
        Ok(Element::Assign(Assign { kind, target, value }))
    }

    /// A name with what stands behind it: `a.b[2].c`.
    fn path(&mut self, what: &str) -> Read<Expr> {
        let span = self.span();
        let base = if self.takes("self") {
            Expr { kind: ExprKind::SelfInstance, span }
        } else {
            let name = self.name(what)?;
            Expr { kind: ExprKind::Name(name.name), span }
        };
        self.suffixes(base)
    }

    /// A section of one entry, whose `;` may be left out.
    fn single(&mut self, word: &str, begin: Span) -> Read<Element> {
        let element = match word {
            "INIT" => Element::Constraint(ConstraintKind::Init, self.expression()?),
            "INVAR" => Element::Constraint(ConstraintKind::Invar, self.expression()?),
            "TRANS" => Element::Constraint(ConstraintKind::Trans, self.expression()?),
            "JUSTICE" | "FAIRNESS" => Element::Justice(self.expression()?),
            "ISA" => return Ok(Element::Isa(self.name("the name of a module")?)),
            "COMPASSION" => {
                let opened = self.span();
                self.expect("(")?;
                let asked = self.expression()?;
                if !self.takes(",") {
                    let help = "two conditions: `COMPASSION (p, q)`; `JUSTICE p` has one";
                    let diagnostic = self.unexpected_here("`,`").help(help);
                    self.report.push(diagnostic);
                    return Err(Stopped);
                }
                let given = self.expression()?;
                self.close(")", opened)?;
                Element::Compassion(asked, given)
            }
            "SPEC" | "CTLSPEC" => self.spec(SpecKind::Ctl, begin)?,
            "CTLSTARSPEC" => self.spec(SpecKind::CtlStar, begin)?,
            "LTLSPEC" => self.spec(SpecKind::Ltl, begin)?,
            "INVARSPEC" => self.spec(SpecKind::Invar, begin)?,
            "COMPUTE" => self.spec(SpecKind::Compute, begin)?,
            // `NAME n := COMPUTE …`
            "NAME" => {
                let name = self.spec_name()?;
                self.expect("COMPUTE")?;
                self.spec_body(SpecKind::Compute, Some(name), begin)?
            }
            _ => return self.unexpected("a section such as `VAR` or `ASSIGN`"),
        };
        let _ = self.takes(";");
        Ok(element)
    }

    fn spec(&mut self, kind: SpecKind, begin: Span) -> Read<Element> {
        let name = if self.takes("NAME") { Some(self.spec_name()?) } else { None };
        self.spec_body(kind, name, begin)
    }

    /// What stands behind `NAME`.
    fn spec_name(&mut self) -> Read<Ident> {
        let name = self.declared_name("the name of a specification")?;
        self.expect(":=")?;
        Ok(name)
    }

    fn spec_body(&mut self, kind: SpecKind, name: Option<Ident>, begin: Span) -> Read<Element> {
        (self.is_ctl, self.ends_at_until) = (kind.is_ctl(), false);
        let body = self.spec_formula(kind);
        self.is_ctl = false;
        let body = body?;
        let context = if self.takes("IN") { Some(self.path("the name of an instance")?) } else { None };
        Ok(Element::Spec(Spec { kind, name, body, context, span: begin.to(self.last_span()) }))
    }

    fn spec_formula(&mut self, kind: SpecKind) -> Read<SpecBody> {
        Ok(if kind == SpecKind::Compute {
            let greatest = self.is("MAX");
            if !self.takes("MIN") && !self.takes("MAX") {
                return self.unexpected("`MIN` or `MAX`");
            }
            let opened = self.span();
            self.expect("[")?;
            let from = self.expression()?;
            self.expect(",")?;
            let to = self.expression()?;
            self.close("]", opened)?;
            SpecBody::Distance(greatest, from, to)
        } else {
            SpecBody::Formula(self.expression()?)
        })
    }

    fn type_spec(&mut self) -> Read<TypeSpec> {
        let begin = self.span();
        let kind = match self.token().clone() {
            Token::Word("boolean") => {
                self.advance();
                TypeKind::Boolean
            }
            Token::Word(word @ ("word" | "unsigned" | "signed")) => {
                self.advance();
                if word != "word" {
                    self.expect("word")?;
                }
                let opened = self.span();
                self.expect("[")?;
                let width = self.expression()?;
                self.close("]", opened)?;
                TypeKind::Word(word == "signed", width)
            }
            Token::Word("array") => self.array()?,
            Token::Sign("{") => self.enumeration()?,
            Token::Sign("[") => return self.unexpected("a type"),
            Token::Word("process") => {
                self.advance();
                self.instance(true)?
            }
            Token::Name(name) if &*name == "integer" || &*name == "real" || &*name == "clock" => {
                let message = format!("`{name}` has no bounds, and systems here are finite");
                self.report.push(Diagnostic::error(begin, "V0110", message).help("give a range, as in `0..255`"));
                self.advance();
                TypeKind::Wrong
            }
            // A range may begin with a name, too: `n..5`.
            Token::Name(_) if !self.has_range_ahead() => self.instance(false)?,
            _ => {
                let low = self.arithmetic()?;
                self.expect("..")?;
                TypeKind::Range(low, self.arithmetic()?)
            }
        };
        Ok(TypeSpec { kind, span: begin.to(self.last_span()) })
    }

    fn has_range_ahead(&self) -> bool {
        (0..)
            .map(|more| self.token_after(more))
            .take_while(|token| !matches!(token, Token::End | Token::Sign(";")))
            .take(64)
            .any(|token| *token == Token::Sign(".."))
    }

    fn array(&mut self) -> Read<TypeKind> {
        self.advance();
        if self.is("word") {
            let message = "arrays with words as indices are not supported";
            self.report.push(Diagnostic::error(self.span(), "V0110", message).help("use an `array lo..hi of …`"));
            return Err(Stopped);
        }
        let low = self.arithmetic()?;
        self.expect("..")?;
        let high = self.arithmetic()?;
        self.expect("of")?;
        let of = self.deeper(Self::type_spec)?;
        Ok(TypeKind::Array(low, high, Box::new(of)))
    }

    fn enumeration(&mut self) -> Read<TypeKind> {
        let opened = self.span();
        self.advance();
        let mut values = Vec::new();
        loop {
            let is_alone = matches!(self.token_after(1), Token::Sign("," | "}"));
            if is_alone && matches!(self.token(), Token::Word(word) if !matches!(*word, "TRUE" | "FALSE")) {
                self.name("a constant")?;
            }
            values.push(self.arithmetic()?);
            if !self.takes(",") {
                break;
            }
        }
        self.close("}", opened)?;
        Ok(TypeKind::Enumeration(values))
    }

    fn instance(&mut self, process: bool) -> Read<TypeKind> {
        let module = self.name("the name of a module")?;
        let opened = self.span();
        let mut arguments = Vec::new();
        if self.takes("(") && !self.takes(")") {
            loop {
                arguments.push(self.expression()?);
                if !self.takes(",") {
                    break;
                }
            }
            self.close(")", opened)?;
        }
        Ok(TypeKind::Instance(process, module, arguments))
    }
}

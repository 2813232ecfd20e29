use super::*;

fn case(text: &str) -> Result<Case, Vec<Mismatch>> {
    Case::parse(Path::new("models/m.pml"), "//", text.to_string())
}

fn messages(mistakes: &[Mismatch]) -> Vec<String> {
    mistakes.iter().map(ToString::to_string).collect()
}

fn observed() -> Observed {
    let fails = ObservedVerdict::Fails { reason: "assertion".into(), trace: 7 };
    let undecided = ObservedVerdict::Undecided { reason: "memory".into() };
    let computed = ObservedVerdict::Computed { value: "12".into() };
    let verdicts = [("safety", fails), ("mutex", ObservedVerdict::Holds), ("p", undecided), ("far", computed)];
    Observed {
        verdicts: verdicts.map(|(name, verdict)| (name.to_string(), verdict)).into(),
        states: Some(41),
        transitions: None,
        unreached: Some(vec![3, 7]),
        errors: Vec::new(),
        first_error: None,
    }
}

#[test]
fn statements_are_read_with_their_lines() {
    let case = case(
        "// A model.\n  // expect: holds mutex\n//with: -DN=3 --keep-going\nint x; // expect: no\n\
        // expect: fails safety, assertion, trace <= 7\n// with: -2\n// expect: fails safety, trace = 7\n",
    )
    .unwrap();
    assert_eq!(case.options, ["-DN=3", "--keep-going", "-2"]);
    assert_eq!(case.properties(), ["mutex", "safety"]);
    let lines: Vec<(u32, String)> =
        case.expectations.iter().map(|found| (found.line, found.expected.to_string())).collect();
    let expected = [(2, "holds mutex"), (5, "fails safety, assertion, trace <= 7"), (7, "fails safety, trace = 7")];
    assert_eq!(lines, expected.map(|(line, text)| (line, text.to_string())));
}

#[test]
fn every_form_prints_as_it_is_written() {
    for text in [
        "holds mutex",
        "undecided p",
        "fails safety",
        "fails safety, invalid end state",
        "fails p, trace = 3",
        "fails p, acceptance cycle, trace <= 12",
        "states 41",
        "transitions 0",
        "unreached 12, 14",
        "unreached none",
        "error P0102",
    ] {
        assert_eq!(Expected::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn a_statement_that_is_none_is_a_mistake() {
    for (text, message) in [
        (
            "hold mutex",
            "`hold` is not an expectation; write one of holds, fails, undecided, computes, states, transitions, unreached, error",
        ),
        ("holds", "`holds` is not an expectation: `holds` of what?"),
        ("computes p", "`computes p` is not an expectation: which number?"),
        ("states many", "`many` is not a number"),
        ("states 4, 5", "`5` says nothing more about `states 4`"),
        ("unreached some", "`some` is not a line; write `unreached 12, 14` or `unreached none`"),
        ("fails p, trace 7", "`trace 7`: write `trace <= N` or `trace = N`"),
        ("fails p, a, b", "`b`: a failure has one reason"),
        ("fails p, trace = 1, trace = 2", "`trace = 2`: a failure has one trace"),
    ] {
        assert_eq!(Expected::parse(text).unwrap_err(), message);
    }
    for word in ["expct", "Expcet", "exepct"] {
        let found = case(&format!("int x;\n// {word}: holds p\n")).unwrap_err();
        assert!(messages(&found)[0].ends_with(": did you mean `expect:`?"), "{found:?}");
    }
    assert!(messages(&case("// except: none\n// exit: holds\n").unwrap_err())[0].contains("states no answer"));
    let found = case("int x;\n// expect: nothing\n").unwrap_err();
    assert_eq!(messages(&found)[0].split(": ").next(), Some("models/m.pml:2"));
    let silent = case("int x;\n").unwrap_err();
    let wanted = "models/m.pml:1: the file states no answer; add a line such as `expect: holds safety`";
    assert_eq!(messages(&silent), [wanted]);
}

#[test]
fn what_is_observed_is_compared_line_by_line() {
    let text = "// expect: holds mutex\n// expect: fails safety, assertion, trace <= 7\n// expect: undecided p\n\
        // expect: states 41\n// expect: unreached 7, 3\n// expect: computes far, 12\n";
    assert_eq!(case(text).unwrap().compare(&observed()), []);

    let text = "// expect: fails mutex\n// expect: fails safety, assertion, trace <= 6\n// expect: fails safety, index\n\
        // expect: holds p\n// expect: holds q\n// expect: states 40\n// expect: transitions 3\n// expect: error P1\n\
        // expect: unreached none\n// expect: computes far, infinity\n// expect: computes mutex, 1\n";
    let wrong = messages(&case(text).unwrap().compare(&observed()));
    let expected = [
        "models/m.pml:1: `mutex` holds (expected: fails)",
        "models/m.pml:2: `safety` fails: assertion violated after 7 steps (expected: fails, assertion, trace <= 6)",
        "models/m.pml:3: `safety` fails: assertion violated after 7 steps (expected: fails, index)",
        "models/m.pml:4: `p` is undecided: memory (expected: holds)",
        "models/m.pml:5: expected holds q, got no verdict",
        "models/m.pml:6: expected states 40, got 41",
        "models/m.pml:7: expected transitions 3, got not the whole graph",
        "models/m.pml:8: expected error P1, got no error",
        "models/m.pml:9: expected unreached none, got 3, 7",
        "models/m.pml:10: `far` is 12 (expected: computes, infinity)",
        "models/m.pml:11: `mutex` holds (expected: computes, 1)",
    ];
    assert_eq!(wrong, expected);
}

#[test]
fn a_refused_model_is_one_surprise() {
    let refused = Observed::refused(["P0102", "P0103"]);
    let wrong = messages(&case("// expect: holds p\n// expect: states 3\n").unwrap().compare(&refused));
    assert_eq!(wrong, ["models/m.pml:1: expected no error, got P0102, P0103"]);
    let said = Observed { first_error: Some("m.pml:3: `x` is unknown".to_owned()), ..refused.clone() };
    let wrong = messages(&case("// expect: holds p\n").unwrap().compare(&said));
    assert_eq!(wrong, ["models/m.pml:1: expected no error, got P0102, P0103: m.pml:3: `x` is unknown"]);
    assert_eq!(case("// expect: error P0103\n").unwrap().compare(&refused), []);
}

#[test]
fn a_folder_is_run_in_order_and_all_that_is_wrong_is_told() {
    let comment_of = |path: &Path| match path.extension()?.to_str()? {
        "pml" | "sys" => Some("//"),
        "smv" => Some("--"),
        _ => None,
    };
    let folder = std::env::temp_dir().join(format!("lariat-testkit-{}", std::process::id()));
    let inner = folder.join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    assert!(run_folder(&folder, &comment_of, &mut |_| Observed::default()).is_err(), "an empty folder tests nothing");
    std::fs::write(folder.join("b.pml"), "// expect: states 2\n").unwrap();
    std::fs::write(folder.join("notes.txt"), "// expect: nonsense\n").unwrap();
    std::fs::write(folder.join(".#b.pml"), "// expect: nonsense\n").unwrap();
    std::fs::write(inner.join("c.sys"), "// expect: states 3\n").unwrap();
    std::fs::write(inner.join("d.smv"), "-- expect: states 3\n").unwrap();
    let mut seen = Vec::new();
    let mut run = |wanted: u64| {
        seen.clear();
        let outcome = run_folder(&folder, &comment_of, &mut |case| {
            seen.push((case.path.strip_prefix(&folder).unwrap().to_path_buf(), case.comment));
            Observed { states: Some(wanted), ..Observed::default() }
        });
        (outcome.map_err(|wrong| wrong.0.len()), seen.len())
    };
    assert_eq!(run(3), (Err(1), 3));
    assert_eq!(run(2), (Err(2), 3));
    let order = [("b.pml", "//"), ("inner/c.sys", "//"), ("inner/d.smv", "--")];
    assert_eq!(seen, order.map(|(path, comment)| (PathBuf::from(path), comment)));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_sweep_stands_for_several_runs() {
    let case =
        case("// with: -D N=2..3 -DM=1..2 --ltl '[] (p -> q)'\n// expect: holds p\n// expect N=3: states 7\n").unwrap();
    let runs = case.runs();
    let labels: Vec<&str> = runs.iter().map(|(run, _)| run.label.as_str()).collect();
    assert_eq!(labels, ["N=2, M=1", "N=2, M=2", "N=3, M=1", "N=3, M=2"]);
    assert_eq!(runs[3].1.options, ["-DN=3", "-DM=2", "--ltl", "[] (p -> q)"]);
    let counts: Vec<usize> = runs.iter().map(|(_, case)| case.expectations.len()).collect();
    assert_eq!(counts, [1, 1, 2, 2]);
    for (line, message) in [
        ("-D N=5..2", "the sweep 5..2 is empty: write 2..5"),
        ("-D N=1..100 -D M=1..100", "more than 1000 runs"),
        ("-D", "`-D` needs a name"),
        ("--ltl '[] p", "a quote ' is not closed"),
    ] {
        let text = format!("// with: {line}\n// expect: holds p\n");
        let wrong = Case::parse(Path::new("m.pml"), "//", text);
        assert!(messages(&wrong.unwrap_err())[0].contains(message), "{line}");
    }
}

#[test]
fn statements_are_updated_by_what_was_observed() {
    let updated = |text: &str| Expected::parse(text).unwrap().updated(&observed()).map(|new| new.to_string());
    assert_eq!(updated("holds safety").as_deref(), Some("fails safety, assertion, trace <= 7"));
    assert_eq!(updated("fails mutex, trace = 3").as_deref(), Some("holds mutex"));
    assert_eq!(updated("states 1").as_deref(), Some("states 41"));
    assert_eq!((updated("transitions 1"), updated("holds unknown")), (None, None));
    assert_eq!(updated("computes far, 3").as_deref(), Some("computes far, 12"));
}

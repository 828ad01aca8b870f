// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every table and figure of the papers is reached.

use std::path::PathBuf;
use tocco_lab::{parallel, reproduce};

/// Where the files go: kept under the variable's directory for a look, else a temporary one.
fn out_dir() -> PathBuf {
    std::env::var_os("TOCCO_REPRODUCE_DIR")
        .map_or_else(|| std::env::temp_dir().join(format!("tocco-reproduce-{}", std::process::id())), PathBuf::from)
}

#[test]
fn every_item_of_the_papers_is_reached_and_leaves_a_table_and_a_picture() {
    let (dir, items) = (out_dir(), reproduce::items());
    let done = parallel::run(items.len(), parallel::cores(), |at| {
        let mut said = String::new();
        let reached = reproduce::run(items[at].0, &dir, &mut |line| said.push_str(line)).unwrap();
        Ok((reached, said))
    });
    let mut missed = Vec::new();
    for ((id, _), (reached, said)) in items.into_iter().zip(done.unwrap()) {
        println!("{said}");
        let csv = std::fs::read_to_string(dir.join(format!("{id}.csv"))).unwrap();
        assert!(csv.lines().count() > 5, "{id}.csv is nearly empty");
        let png = std::fs::read(dir.join(format!("{id}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000, "{id}.png");
        assert!(said.contains("verdict: "), "{said}");
        if !reached {
            missed.push(said);
        }
    }
    if std::env::var_os("TOCCO_REPRODUCE_DIR").is_none() {
        std::fs::remove_dir_all(&dir).unwrap();
    }
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

#[test]
fn every_item_says_its_paper_and_answers_to_what_it_was_called_before() {
    let ids: Vec<&str> = reproduce::items().into_iter().map(|(id, _)| id).collect();
    for id in &ids {
        assert!(
            ["avanzini-2001-", "avanzini-2002-", "avanzini-2003-", "desena-2009-"]
                .iter()
                .any(|paper| id.starts_with(paper)),
            "{id}"
        );
    }
    let before = [
        "table-2.1",
        "fig-2.1",
        "fig-2.2",
        "fig-2.3",
        "fig-2.4",
        "fig-2.5",
        "fig-2.6",
        "fig-2.7",
        "fig-2.8",
        "bouncing",
        "contact-time",
        "fig-5.1",
        "fig-5.2",
        "fig-5.3",
        "fig-5.4",
        "fig-5.5",
        "table-5.2",
        "fig-5.7",
        "fig-8.1",
        "fig-8.3",
        "fig-8.5",
        "fig-8.7",
        "fig-8.9",
        "fig-8.10",
        "table-8.1",
        "002-collisions",
        "002-crumple",
        "001-fig-3",
        "001-string",
        "001-fig-6",
        "001-fig-7",
        "drift",
        "stick-slip",
        "iterations",
    ];
    assert_eq!(reproduce::id_of("003-table-5.2"), Some("avanzini-2001-table-5.2"));
    assert_eq!(reproduce::id_of("fig-5.1"), reproduce::id_of("avanzini-2001-fig-5.1"));
    let words: Vec<&str> = reproduce::words().collect();
    for old in before {
        assert_eq!(words.iter().filter(|word| **word == old).count(), 1, "{old}");
    }
    let mut once = words.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), words.len(), "a word means two items");
}

#[test]
fn an_unknown_item_is_answered_with_the_nearest_one() {
    let answer = reproduce::run("fig-2.11", &std::env::temp_dir(), &mut |_| ()).unwrap_err();
    assert!(answer.contains("fig-2.11") && answer.contains("did you mean 'fig-2.1'?"), "{answer}");
}

#[test]
fn the_force_under_a_foot_is_that_of_measured_steps() {
    if std::env::var_os("TOCCO_GRF_DATA").is_none() {
        return tocco_testing::skip("the force under a foot beside 600 measured steps", "TOCCO_GRF_DATA");
    }
    let dir = out_dir().join("measured");
    for (item, row) in [("002-force", "rms over all classes"), ("002-attack", "after 20 steps of its own")] {
        let mut said = String::new();
        let reached = reproduce::run(item, &dir, &mut |line| said.push_str(line)).unwrap();
        assert!(reached && said.contains(row), "{said}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

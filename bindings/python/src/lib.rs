// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco for Python: scenes to arrays, recordings to bodies, designs to sets of sounds.
//!
//! The module is `tocco._native`; `python/tocco/__init__.py` is what people import. A `Scene` is an engine with the gestures
//! that wait for it. It lives behind a lock that is only taken while the interpreter is let go, so that scenes render on as
//! many cores as there are threads, and two threads may use one scene. What is rendered is written once, into the array
//! that is handed out. Errors are `tocco.Error` and carry the words of the program.

mod scene;
mod studies;

use pyo3::prelude::*;

pyo3::create_exception!(
    tocco,
    Error,
    pyo3::exceptions::PyValueError,
    "What cannot be done, in the words of the program."
);

/// An error with one line.
fn refuse(what: impl std::fmt::Display) -> PyErr {
    Error::new_err(what.to_string())
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<Error>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<scene::Scene>()?;
    module.add_function(wrap_pyfunction!(studies::scenes, module)?)?;
    module.add_function(wrap_pyfunction!(studies::designs, module)?)?;
    module.add_function(wrap_pyfunction!(studies::materials_json, module)?)?;
    module.add_function(wrap_pyfunction!(studies::analyse_json, module)?)?;
    module.add_function(wrap_pyfunction!(studies::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(studies::dataset, module)?)?;
    module.add_function(wrap_pyfunction!(studies::dataset_check, module)?)?;
    module.add_function(wrap_pyfunction!(studies::sweep_left, module)?)?;
    module.add_function(wrap_pyfunction!(studies::sweep_share, module)?)?;
    module.add_function(wrap_pyfunction!(studies::sweep_keep, module)?)?;
    Ok(())
}

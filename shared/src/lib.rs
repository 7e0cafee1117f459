//! What every Gristmill function and the native worker have in common.

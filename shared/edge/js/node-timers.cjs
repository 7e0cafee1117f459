// For wasm-bindgen-test in Node, whose setTimeout returns an object: worker::Delay expects a number, as
// every other runtime gives. clearTimeout takes either.
const { setTimeout } = globalThis;
globalThis.setTimeout = (...args) => Number(setTimeout(...args));

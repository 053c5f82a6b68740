/** A compiled module of WebAssembly. */
export type WasmModule = object

/** Memory that the instances of all threads see. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer
}

/** The part of WebAssembly that is used. Node's types declare it only together with those of browsers. */
export interface WasmInterface {
  readonly Module: new (bytes: Uint8Array) => WasmModule
  readonly Instance: new (module: WasmModule, imports?: object) => { readonly exports: unknown }
  readonly Memory: new (size: {
    readonly initial: number
    readonly maximum: number
    readonly shared: true
  }) => WasmMemory
}

/** Size of a page of WebAssembly's memory in bytes, and the number of pages that 32-bit addresses reach. */
export const WASM_PAGE_BYTES = 65_536
export const MAX_WASM_PAGES = 65_536

/** Returns the interface to WebAssembly. Undefined if WebAssembly is disabled. */
export const webAssembly = (): WasmInterface | undefined =>
  (globalThis as unknown as { readonly WebAssembly?: WasmInterface }).WebAssembly

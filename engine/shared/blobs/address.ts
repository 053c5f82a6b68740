import type { FileIdentity } from './identity.ts'

/** A byte range of a remote file in a certain state, 0-based and half-open. */
export interface RemoteRange {
  readonly key: string
  /** Entity tag that the remote file must still have. */
  readonly entityTag: string
  readonly start: number
  readonly end: number
  readonly signal?: AbortSignal | undefined
}

/** Reads ranges of remote files. */
export interface RangeReader {
  /**
   * Delivers the bytes of a range as they arrive. The range must lie within the file.
   * @throws EngineError `unavailable`, also if the file has changed
   */
  fetch(range: RemoteRange, deliver: (bytes: Uint8Array, position: number) => void): Promise<void>
}

/** Current identity of the bytes at an address, and a reader for them. */
export interface AddressedBytes {
  readonly identity: FileIdentity
  readonly reader: RangeReader
}

/** Opens addresses on allowed hosts. Implemented outside, because the engine has no HTTP client. */
export interface Addresses {
  /**
   * @throws EngineError `bad_input` if the address is not allowed or its server does not serve ranges,
   * `not_found`, `unavailable`
   */
  open(address: string, signal?: AbortSignal): Promise<AddressedBytes>
}

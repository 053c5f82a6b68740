import type { FileIdentity } from './identity.ts'

/** Some bytes of something that is elsewhere, as long as it is what it was. */
export interface RemoteRange {
  readonly key: string
  /** The mark of its identity: what is there now must have the same. */
  readonly entityTag: string
  readonly start: number
  readonly end: number
  readonly signal?: AbortSignal | undefined
}

/** Reads what is elsewhere by ranges. */
export interface RangeReader {
  /**
   * Hands out the bytes of a range as they come. The range must lie within what is there.
   * @throws EngineError unavailable, also when it is another thing by now
   */
  fetch(range: RemoteRange, deliver: (bytes: Uint8Array, position: number) => void): Promise<void>
}

/** What an address has now, and how to read it. */
export interface AddressedBytes {
  readonly identity: FileIdentity
  readonly reader: RangeReader
}

/** Opens what lies at addresses, of the hosts that an operator has listed. The engine knows no HTTP. */
export interface Addresses {
  /**
   * @throws EngineError bad_input for an address that is not allowed or a server that cannot be read by
   *   ranges, not_found, unavailable
   */
  open(address: string, signal?: AbortSignal): Promise<AddressedBytes>
}

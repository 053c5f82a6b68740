/** Bytes that are written one after another; the space grows when it has to. */
export class ByteSink {
  #target: Buffer
  #length = 0

  /** @param space first space; its content does not matter, and it must not be used elsewhere */
  constructor(target: Buffer) {
    this.#target = target
  }

  get length(): number {
    return this.#length
  }

  text(text: string): void {
    // A UTF-16 unit becomes three bytes at most.
    this.#reserve(text.length * 3)
    this.#length += this.#target.write(text, this.#length)
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#target[this.#length++] = byte
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#target.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** What was written, in memory of its own; the sink is empty afterwards. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length)
    bytes.set(this.#target.subarray(0, this.#length))
    this.#length = 0
    return bytes
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#target.length) return
    const target = Buffer.allocUnsafeSlow(
      Math.max(this.#length + more, this.#target.length * 2, 1024),
    )
    this.#target.copy(target, 0, 0, this.#length)
    this.#target = target
  }
}

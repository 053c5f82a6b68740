/** Bytes that are written one after another; the room grows when it has to. */
export class ByteSink {
  #room: Buffer
  #length = 0

  /** @param room first room; its content does not matter, and it must not be used elsewhere */
  constructor(room: Buffer) {
    this.#room = room
  }

  get length(): number {
    return this.#length
  }

  text(text: string): void {
    // A UTF-16 unit becomes three bytes at most.
    this.#reserve(text.length * 3)
    this.#length += this.#room.write(text, this.#length)
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#room[this.#length++] = byte
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#room.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** What was written, in memory of its own; the sink is empty afterwards. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length)
    bytes.set(this.#room.subarray(0, this.#length))
    this.#length = 0
    return bytes
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#room.length) return
    const room = Buffer.allocUnsafeSlow(Math.max(this.#length + more, this.#room.length * 2, 1024))
    this.#room.copy(room, 0, 0, this.#length)
    this.#room = room
  }
}

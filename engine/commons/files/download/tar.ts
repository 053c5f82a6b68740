import { createHash } from 'node:crypto'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import { END_BYTES, padded, tarHeader } from './tar-header.ts'
import type { ByteReading } from './transfer.ts'

/** A member of an archive: a stored file or a generated text. */
export interface Member {
  readonly path: string
  readonly contents: StoredFile | Uint8Array
}

/** Layout of an archive, computed before any member is read. */
export interface TarPlan {
  readonly members: readonly Member[]
  readonly modified: Date
  /** Offset of each member, and of the end of the archive, in bytes. */
  readonly starts: Float64Array
  readonly headerBytes: Uint32Array
  readonly size: number
  /** Hash of all inputs that determine the bytes of the archive. */
  readonly fingerprint: string
}

/** Version of the layout, part of the fingerprint. Change it when equal members give other bytes than before. */
const LAYOUT = 'tar 1'

export const sizeOf = ({ contents }: Member) =>
  contents instanceof Uint8Array ? contents.length : contents.size

/**
 * Computes the layout of an archive, so that its length is known before the first byte.
 * @param modified time stamp of all members
 */
export async function planTar(
  members: readonly Member[],
  modified: Date,
  turns = new LoopTurns(),
): Promise<TarPlan> {
  const starts = new Float64Array(members.length + 1)
  const headerBytes = new Uint32Array(members.length)
  const hash = createHash('sha256').update(`${LAYOUT} ${modified.toISOString()}`)
  let at = 0
  for (const [i, member] of members.entries()) {
    await turns.pause()
    const { path, contents } = member
    const size = sizeOf(member)
    const header = await tarHeader({ path, size }, modified)
    starts[i] = at
    headerBytes[i] = header.length
    at += header.length + padded(size)
    hash.update(header).update(contents instanceof Uint8Array ? contents : contents.md5)
  }
  starts[members.length] = at
  const fingerprint = hash.digest('hex').slice(0, 32)
  return { members, modified, starts, headerBytes, size: at + END_BYTES, fingerprint }
}

type OpenMember = (file: StoredFile) => Promise<ByteReading>

const READ_BYTES = 1 << 20

interface OpenedMember {
  readonly index: number
  readonly reading: Promise<ByteReading>
}

/**
 * Reads an archive from any position without reading what comes before. One file is open at a time, and the next
 * file is opened in advance.
 */
export class TarReading implements ByteReading {
  readonly readBytes = READ_BYTES
  readonly #plan: TarPlan
  readonly #open: OpenMember
  readonly #end: number
  #current: OpenedMember | undefined
  #next: OpenedMember | undefined
  #header: { readonly index: number; readonly bytes: Buffer } | undefined

  /** @param end members from this position on are not opened in advance */
  constructor(plan: TarPlan, open: OpenMember, end: number) {
    this.#plan = plan
    this.#open = open
    this.#end = end
  }

  async read(
    into: Uint8Array,
    position: number,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<number> {
    const { starts, members, size } = this.#plan
    const wanted = into.subarray(0, Math.max(size - position, 0))
    let index = memberAt(starts, position)
    for (let filled = 0; filled < wanted.length; ) {
      signal.throwIfAborted()
      const at = position + filled
      while (index < members.length && at >= (starts[index + 1] ?? 0)) index++
      const target = wanted.subarray(filled)
      if (index < members.length) filled += await this.#readMember(index, at, target, signal)
      else filled += zeros(target, target.length)
    }
    return wanted.length
  }

  /** Reads at least one byte of a member, from its header, contents or padding. */
  async #readMember(index: number, at: number, target: Uint8Array, signal: AbortSignal) {
    const { starts, headerBytes, members } = this.#plan
    const member = members[index] as Member
    const within = at - (starts[index] ?? 0)
    const inContents = within - (headerBytes[index] ?? 0)
    if (inContents < 0) {
      const rest = (await this.#headerOf(index)).subarray(within).subarray(0, target.length)
      target.set(rest)
      return rest.length
    }
    const size = sizeOf(member)
    if (inContents >= size) return zeros(target, padded(size) - inContents)
    const part = target.subarray(0, size - inContents)
    if (member.contents instanceof Uint8Array) {
      part.set(member.contents.subarray(inContents, inContents + part.length))
      return part.length
    }
    const reading = await this.#opened(index)
    const filled = await reading.read(part, inContents, { signal })
    if (filled === part.length) return filled
    throw new EngineError(
      'corrupt_source',
      `file ${member.contents.id} ends at byte ${inContents + filled}, before its size on record`,
    )
  }

  async #headerOf(index: number): Promise<Buffer> {
    if (this.#header?.index !== index) {
      const { members, modified } = this.#plan
      const member = members[index] as Member
      const bytes = await tarHeader({ path: member.path, size: sizeOf(member) }, modified)
      this.#header = { index, bytes }
    }
    return this.#header.bytes
  }

  async #opened(index: number): Promise<ByteReading> {
    if (this.#current?.index !== index) {
      await closeMember(this.#current)
      this.#current = this.#next?.index === index ? this.#next : this.#openMember(index)
      this.#next = this.#openAfter(index)
    }
    return this.#current.reading
  }

  #openAfter(index: number): OpenedMember | undefined {
    const { members, starts } = this.#plan
    const isStored = (member: Member) =>
      !(member.contents instanceof Uint8Array) && sizeOf(member) > 0
    for (let next = index + 1; next < members.length; next++) {
      if ((starts[next] ?? 0) >= this.#end) return undefined
      if (isStored(members[next] as Member)) return this.#openMember(next)
    }
    return undefined
  }

  #openMember(index: number): OpenedMember {
    const reading = this.#open((this.#plan.members[index] as Member).contents as StoredFile)
    // Prevents an unhandled rejection until the promise is awaited.
    reading.catch(() => {})
    return { index, reading }
  }

  async close(): Promise<void> {
    const open = [this.#current, this.#next]
    this.#current = undefined
    this.#next = undefined
    await Promise.all(open.map(closeMember))
  }
}

async function closeMember(member: OpenedMember | undefined): Promise<void> {
  const reading = await member?.reading.catch(() => undefined)
  await reading?.close()
}

function zeros(target: Uint8Array, length: number): number {
  const count = Math.min(length, target.length)
  target.fill(0, 0, count)
  return count
}

/** Returns the last member that starts at or before a position. */
function memberAt(starts: Float64Array, position: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}

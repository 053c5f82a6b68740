import { createHash } from 'node:crypto'
import { type FileHandle, readFile, writeFile } from 'node:fs/promises'
import type { Interval } from './interval.ts'

/** An interval of the partial file, with the checksum of its bytes. */
export interface DonePart extends Interval {
  readonly md5: string
}

export const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** The parts recorded by an earlier run whose bytes in the partial file are unchanged. */
export async function partsThatHold(
  statePath: string,
  partial: FileHandle,
): Promise<readonly DonePart[]> {
  const text = await readFile(statePath, 'utf8').catch(() => '[]')
  const parts: readonly DonePart[] = JSON.parse(text)
  const holding: DonePart[] = []
  for (const part of parts) {
    const bytes = Buffer.alloc(part.end - part.start)
    await partial.read(bytes, 0, bytes.length, part.start)
    if (md5Of(bytes) === part.md5) holding.push(part)
  }
  return holding
}

export const keepParts = (statePath: string, parts: readonly DonePart[]) =>
  writeFile(statePath, JSON.stringify(parts))

import { randomFrom } from '../../../../fixtures/random.ts'

/** A prime, so that no two pages of a few megabytes are equal. */
const PERIOD_BYTES = 65_537

/** Bytes without a pattern, but for a long period; equal seeds give equal bytes. */
export function madeBytes(seed: number, length: number): Buffer {
  const random = randomFrom(seed)
  const period = Uint8Array.from({ length: Math.min(length, PERIOD_BYTES) }, () => random.bits())
  return Buffer.alloc(length, period)
}

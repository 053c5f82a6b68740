import { randomFrom } from '../../../../fixtures/random.ts'

/** The period is a prime number of bytes, so that no two pages within a few megabytes are equal. */
const PERIOD_BYTES = 65_537

/** Returns bytes that repeat only after a long period. Equal seeds give equal bytes. */
export function madeBytes(seed: number, length: number): Buffer {
  const random = randomFrom(seed)
  const period = Uint8Array.from({ length: Math.min(length, PERIOD_BYTES) }, () => random.bits())
  return Buffer.alloc(length, period)
}

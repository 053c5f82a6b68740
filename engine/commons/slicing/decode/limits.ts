import type { Alignment } from '../alignment.ts'
import { type NamedInterval, parseNamedRegion } from '../region.ts'

export const DECODE_LIMITS = {
  /** Bytes of a file that the records of one request are decoded from. */
  maxCopied: 64 << 20,
  /** Depths of one answer. */
  maxBins: 1_000_000,
  /** Records of one answer. */
  maxRecords: 100_000,
} as const

/**
 * One region, of a reference that the file has under any name, or the reads without a place.
 * @throws EngineError bad_region
 */
export function namedRegion({ numberOf }: Alignment, region: string): NamedInterval | 'unmapped' {
  return parseNamedRegion(region, new Set(numberOf.keys()), 'region')
}

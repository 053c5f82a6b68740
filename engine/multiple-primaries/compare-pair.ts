import type { MphResult } from './result.ts'
import type { Rules } from './rules.ts'
import type { TumourPair } from './tumour.ts'

/** One disease or two? Never throws for a pair that `parsePair` has let pass (mph-rules.md 2-4). */
export function comparePair(rules: Rules, pair: TumourPair): MphResult {
  throw new Error(`not written: ${rules} ${pair}`)
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { MphOutcome } from '../../../engine/registry/multiple-primaries/result.ts'
import type { Tumour } from '../../../engine/registry/multiple-primaries/tumour.ts'
import { publicData } from '../../../fixtures/public-data.ts'

// Recorded comparisons of the original library (README-registry.md of the vectors).

const VECTORS = publicData('vectors/mph')

export interface MphVector {
  readonly input1: Tumour
  readonly input2: Tumour
  readonly expected: {
    readonly result: MphOutcome
    readonly group_id: string | null
    readonly step: string | null
    readonly applied_steps: readonly string[]
  }
}

/** Reads the vectors `unit`, `csv-2000-2022` or `peer-random`. */
export function readMphVectors(name: string): MphVector[] {
  const text = gunzipSync(readFileSync(join(VECTORS, `${name}.jsonl.gz`))).toString()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as MphVector)
}

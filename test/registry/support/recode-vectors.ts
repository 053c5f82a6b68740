import { readFileSync } from 'node:fs'
import { publicData } from '../../../fixtures/public-data.ts'

// Assertions of the original library (README-registry.md of the vectors).

/** The number of rows by `wc -l FILE`, with the recode and the member of its answer to compare. */
export const RECODE_FILES = [
  { file: 'recode-seer', count: 89, recode: 'seer', output: 'site_group' },
  { file: 'recode-iccc', count: 91, recode: 'iccc', output: 'site_group' },
  { file: 'recode-aya', count: 22, recode: 'aya', output: 'site_group' },
  { file: 'recode-brain-cns', count: 86, recode: 'brain-cns', output: 'recode' },
  { file: 'recode-lymphoid', count: 51, recode: 'lymphoid', output: 'recode' },
  { file: 'derived-summary-grade', count: 46, recode: 'summary-grade', output: 'grade' },
] as const

interface RecodeVector {
  readonly version: string | undefined
  readonly input: Readonly<Record<string, string>>
  readonly expected: string | null
  readonly isExtended: boolean
}

/** Our versions by the names that the files have for them. */
const VERSIONS: Readonly<Record<string, string>> = {
  '2003w': '2003-without-kms',
  '2023e': '2023-expanded',
}

interface Line {
  readonly input: Readonly<Record<string, string | boolean | null>>
  readonly expected: string | null
}

export function readRecodeVectors(file: string): RecodeVector[] {
  const text = readFileSync(publicData('vectors/registry-rest', `${file}.jsonl`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => vectorOf(JSON.parse(line) as Line))
}

function vectorOf({ input, expected }: Line): RecodeVector {
  const { version, extended, ...rest } = input
  const given = Object.entries(rest).filter((entry) => typeof entry[1] === 'string')
  return {
    version: typeof version === 'string' ? (VERSIONS[version] ?? version) : undefined,
    input: Object.fromEntries(given) as Record<string, string>,
    expected,
    isExtended: extended === true,
  }
}

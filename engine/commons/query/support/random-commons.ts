import type { DatasetName } from '../../datasets/define.ts'
import type { Documents, Json } from './memory-release.ts'
import type { Written } from './oracle.ts'

/** Pseudo-random number generator with a seed (Mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  list<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, i) => make(i))
  }
}

const WORDS = ['alpha', 'Alpha', 'beta', 'gamma ray', 'Épsilon', '', '2', 'beta-2']

/** Returns random projects, cases, files, mutations and occurrences, with every irregularity of documents. */
export function randomCommons(dice: Dice, scale: number): Documents {
  const word = () => dice.of(WORDS)
  const number = () => dice.of([0, 1, 2, 2.5, -3, 10, 100, '7', 'x'])
  const some = (members: Record<string, () => unknown>): Json =>
    Object.fromEntries(
      Object.entries(members).flatMap(([name, make]) => {
        const chance = dice.next()
        return chance < 0.15 ? [] : [[name, chance < 0.25 ? null : make()]]
      }),
    )
  const project = (i: number): Json => ({
    project_id: `P-${i}`,
    ...some({
      name: word,
      primary_site: () => dice.list(3, word),
      released: () => dice.of([true, false]),
      program: () => some({ name: word }),
      summary: () => ({
        data_categories: dice.list(2, () => some({ data_category: word, file_count: number })),
      }),
    }),
  })
  const aliquot = () => some({ aliquot_id: word })
  const portion = () =>
    some({ analytes: () => dice.list(2, () => some({ aliquots: () => dice.list(2, aliquot) })) })
  const sample = () => some({ sample_type: word, portions: () => dice.list(2, portion) })
  const treatment = () => some({ treatment_type: word, number_of_cycles: number })
  const diagnosis = () =>
    some({
      classification_of_tumor: word,
      age_at_diagnosis: number,
      sites_of_involvement: () => dice.list(3, word),
      treatments: () => dice.list(2, treatment),
    })
  const patient = (i: number): Json => ({
    case_id: `c-${String(i).padStart(3, '0')}`,
    ...some({
      disease_type: word,
      submitter_id: word,
      days_to_consent: number,
      available_variation_data: () => dice.list(2, () => dice.of(['ssm', 'cnv'])),
      project: () => ({ project_id: `P-${dice.below(4)}` }),
      demographic: () => some({ gender: word, days_to_death: number }),
      diagnoses: () => dice.list(3, diagnosis),
      samples: () => dice.list(2, sample),
      exposures: () => [some({ pack_years_smoked: number })],
    }),
  })
  const file = (i: number): Json => ({
    file_id: `f-${String(i).padStart(4, '0')}`,
    ...some({
      access: () => dice.of(['open', 'controlled']),
      data_type: word,
      file_size: () => dice.below(50),
      acl: () => dice.list(2, word),
      cases: () =>
        dice.list(3, () => ({
          case_id: `c-${String(dice.below(scale + 2)).padStart(3, '0')}`,
          ...some({ samples: () => dice.list(2, sample) }),
        })),
      analysis: () =>
        some({
          workflow_type: word,
          input_files: () =>
            dice.list(2, () => some({ file_id: word, access: word, file_size: number })),
        }),
    }),
  })
  const annotation = () => some({ vep_impact: word, sift_score: number })
  const ssm = (i: number): Json => ({
    ssm_id: `s-${i}`,
    ...some({
      chromosome: word,
      start_position: number,
      consequence: () =>
        dice.list(3, () =>
          some({
            transcript: () =>
              some({ is_canonical: () => dice.of([true, false, 'true', 'True', 'x']), annotation }),
          }),
        ),
    }),
  })
  const occurrence = (i: number): Json => ({
    ssm_occurrence_id: `o-${String(i).padStart(3, '0')}`,
    ssm: { ssm_id: `s-${dice.below(9)}` },
    case: {
      case_id: `c-${String(dice.below(scale + 2)).padStart(3, '0')}`,
      observation: dice.list(2, () =>
        some({ center: word, read_depth: () => some({ t_depth: number }) }),
      ),
    },
  })
  const list = (count: number, make: (i: number) => Json) =>
    Array.from({ length: count }, (_, i) => make(i))
  return {
    projects: list(3, project),
    cases: list(scale, patient),
    files: list(3 * scale, file),
    ssms: list(8, ssm),
    ssm_occurrences: list(2 * scale, occurrence),
  }
}

const CASE_FIELDS = [
  'case_id',
  'disease_type',
  'submitter_id',
  'days_to_consent',
  'available_variation_data',
  'project.project_id',
  'project.primary_site',
  'project.program.name',
  'demographic.gender',
  'demographic.days_to_death',
  'diagnoses.classification_of_tumor',
  'diagnoses.age_at_diagnosis',
  'diagnoses.sites_of_involvement',
  'diagnoses.treatments.treatment_type',
  'diagnoses.treatments.number_of_cycles',
  'samples.sample_type',
  'samples.portions.analytes.aliquots.aliquot_id',
  'exposures.pack_years_smoked',
]

const FILE_FIELDS = [
  'file_id',
  'access',
  'data_type',
  'file_size',
  'acl',
  'analysis.workflow_type',
  'analysis.input_files.file_id',
  'analysis.input_files.access',
  'analysis.input_files.file_size',
]

const SSM_FIELDS = [
  'ssm_id',
  'chromosome',
  'start_position',
  'consequence.transcript.is_canonical',
  'consequence.transcript.annotation.vep_impact',
  'consequence.transcript.annotation.sift_score',
]

const OBSERVED_FIELDS = [
  'case.case_id',
  'case.disease_type',
  'case.available_variation_data',
  'case.project.project_id',
  'case.project.primary_site',
  'case.diagnoses.classification_of_tumor',
  'case.diagnoses.age_at_diagnosis',
  'case.diagnoses.treatments.treatment_type',
  'case.samples.sample_type',
  'case.observation.center',
  'case.observation.read_depth.t_depth',
]

const under = (prefix: string, fields: readonly string[]) =>
  fields.map((field) => `${prefix}.${field}`)

/** Fields to query, by dataset. */
export const FIELDS: Partial<Record<DatasetName, readonly string[]>> = {
  projects: [
    'project_id',
    'name',
    'primary_site',
    'released',
    'program.name',
    'summary.data_categories.data_category',
    'summary.data_categories.file_count',
  ],
  cases: [...CASE_FIELDS, ...under('files', FILE_FIELDS)],
  files: [
    ...FILE_FIELDS,
    ...under('cases', CASE_FIELDS).filter((field) => !field.includes('available')),
  ],
  ssms: [...SSM_FIELDS, 'occurrence.occurrence_id', ...under('occurrence', OBSERVED_FIELDS)],
  ssm_occurrences: ['ssm_occurrence_id', ...under('ssm', SSM_FIELDS), ...OBSERVED_FIELDS],
}

const NUMBERS =
  /(size|days_to_\w+|age_at_diagnosis|number_of_cycles|smoked|position|score|t_depth|file_count|length)$/

const IDS = /((case|project|gene|ssm|cnv)_id|occurrence_id)$/

export function randomFilter(dice: Dice, fields: readonly string[], depth = 3): Written {
  if (depth > 0 && dice.next() < 0.6) {
    const op = dice.next() < 0.65 ? 'and' : 'or'
    const count = 1 + dice.below(3)
    return {
      op,
      content: Array.from({ length: count }, () => randomFilter(dice, fields, depth - 1)),
    }
  }
  return randomLeaf(dice, dice.of(fields))
}

function randomLeaf(dice: Dice, field: string): Written {
  const isNumber = NUMBERS.test(field)
  const value = () => {
    if (isNumber) return dice.of([0, 1, 2, '2.5', -3, 10, '7', 40])
    if (IDS.test(field))
      return dice.of(['P-1', 'P-2', 'C-00*', 'c-003', 'c-*5', 'o-01*', 's-3', '*'])
    return dice.of([
      ...WORDS,
      'open',
      'ssm',
      'cnv',
      true,
      'f*',
      '*a*',
      'bet*2',
      'zeta',
      'f-00*1',
      2,
    ])
  }
  const op = dice.of([
    '=',
    'in',
    'in',
    '!=',
    'exclude',
    'excludeifany',
    'is',
    'not',
    '<',
    '<=',
    '>',
    '>=',
  ])
  if (op === 'is' || op === 'not') {
    return { op, content: { field, ...(dice.next() < 0.5 && { value: 'MISSING' }) } }
  }
  if ('<>'.includes(op.charAt(0))) {
    const bound = isNumber ? value() : dice.of(['b', 'gamma', '', 'c-004'])
    return { op, content: { field, value: bound } }
  }
  return { op, content: { field, value: dice.next() < 0.4 ? value() : dice.list(3, value) } }
}

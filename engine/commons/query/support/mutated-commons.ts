import type { Root } from '../../datasets/case-gene.ts'
import { DATASET_NAMES, type DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { typeOf } from '../../datasets/resolve.ts'
import { compareUtf8, type Json, objectsAt, scalarsAt } from './memory-release.ts'
import { type View, wholeOf } from './oracle.ts'
import type { Dice } from './random-commons.ts'

type Given = Readonly<Record<DatasetName, readonly Json[]>>

/** Returns random cases, genes and mutations, with every irregularity that links between them can have. */
export function mutatedCommons(dice: Dice, scale: number): Given {
  const caseId = (i: number) => `c-${String(i).padStart(3, '0')}`
  // Ids that random filters use.
  const geneId = (i: number) => `P-${i}`
  const some = (members: Record<string, () => unknown>): Json =>
    Object.fromEntries(
      Object.entries(members).flatMap(([name, make]) => {
        const chance = dice.next()
        return chance < 0.12 ? [] : [[name, chance < 0.18 ? null : make()]]
      }),
    )
  const word = () => dice.of(['alpha', 'beta', 'gamma'])
  const list = (count: number, make: (i: number) => Json) =>
    Array.from({ length: count }, (_, i) => make(i))
  // The last genes have no record.
  const aGene = () => ({ gene_id: geneId(dice.below(9)), symbol: word() })
  const anOccurrence = (by: string, change: string, i: number): Json => ({
    [`${by}_occurrence_id`]: `o-${String(i).padStart(4, '0')}`,
    [by]: { [`${by}_id`]: change, ...(by === 'cnv' && some({ variant_status: word })) },
    case: {
      case_id: caseId(dice.below(scale + 2)),
      observation: dice.list(2, () =>
        some({
          ...(by === 'ssm' ? { center: word } : { src_file_id: word }),
          variant_calling: () => some({ variant_caller: word }),
        }),
      ),
    },
  })
  const made: Partial<Given> = {
    projects: list(3, (i) => ({ project_id: `P-${i}`, ...some({ primary_site: () => [word()] }) })),
    cases: list(scale, (i) => ({
      case_id: caseId(i),
      ...some({
        project: () => ({ project_id: `P-${dice.below(4)}` }),
        disease_type: word,
        available_variation_data: () => dice.list(2, () => dice.of(['ssm', 'cnv'])),
        demographic: () => some({ gender: word }),
        diagnoses: () =>
          dice.list(2, () => some({ morphology: word, age_at_diagnosis: () => dice.below(4) })),
        summary: () => ({ data_categories: dice.list(3, () => ({ data_category: word() })) }),
      }),
    })),
    genes: list(6, (i) => ({
      gene_id: geneId(i),
      ...some({
        symbol: word,
        biotype: () => dice.of(['protein_coding', 'lincRNA']),
        transcripts: () => dice.list(2, () => some({ name: word, length: () => dice.below(4) })),
      }),
    })),
    ssms: list(12, (i) => ({
      ssm_id: `s-${i}`,
      ...some({
        chromosome: word,
        start_position: () => dice.below(4),
        consequence: () =>
          dice.list(5, () => ({
            transcript: {
              gene: dice.next() < 0.1 ? {} : aGene(),
              ...some({
                consequence_type: word,
                is_canonical: () => dice.of([true, false]),
                annotation: () => some({ vep_impact: word, sift_score: () => dice.below(4) }),
              }),
            },
          })),
      }),
    })),
    ssm_occurrences: list(3 * scale, (i) => anOccurrence('ssm', `s-${dice.below(13)}`, i)),
    cnvs: list(8, (i) => ({
      cnv_id: `v-${i}`,
      ...some({
        cnv_change: word,
        consequence: () => dice.list(3, () => ({ gene: aGene() })),
      }),
    })),
    cnv_occurrences: list(2 * scale, (i) => anOccurrence('cnv', `v-${dice.below(9)}`, i)),
  }
  return Object.fromEntries(DATASET_NAMES.map((name) => [name, made[name] ?? []])) as Given
}

const GENE_OF = { ssm: 'transcript.gene.gene_id', cnv: 'gene.gene_id' } as const

/** Documents of a case, a gene, and those of the case's mutations that affect the gene. */
export interface NaivePair {
  readonly case: Json
  readonly gene: Json
  readonly ssm: readonly Json[]
  readonly cnv: readonly Json[]
}

/** Returns whether the gene of a pair has a record. */
export const hasGene = ({ gene }: NaivePair): boolean => gene.gene_id !== undefined

/** Returns the pairs in ascending order of their ids, found by going through all occurrences. */
export function naivePairs(documents: Given): readonly NaivePair[] {
  const whole = (name: DatasetName) =>
    documents[name].map((doc) => wholeOf(DATASETS[name], doc, { documents }))
  const byId = (field: string) => (a: Json, b: Json) =>
    compareUtf8(String(a[field]), String(b[field]))
  // A pair without a gene is first.
  const genes = [{}, ...whole('genes').sort(byId('gene_id'))]
  return whole('cases')
    .map(({ files, ...rest }) => rest as Json)
    .sort(byId('case_id'))
    .flatMap((one) =>
      genes
        .map((gene) => ({
          case: one,
          gene,
          ssm: hitting('ssm', one, gene, documents),
          cnv: hitting('cnv', one, gene, documents),
        }))
        .filter(({ ssm, cnv }) => ssm.length + cnv.length > 0),
    )
}

function hitting(by: 'ssm' | 'cnv', one: Json, gene: Json, documents: Given): Json[] {
  return documents[`${by}_occurrences`].flatMap((occurrence) => {
    const { case: where, [by]: named } = occurrence as Record<string, Json>
    if (where?.case_id !== one.case_id) return []
    const change = documents[`${by}s`].find((each) => each[`${by}_id`] === named?.[`${by}_id`])
    const isHit = (each: Json) => {
      const [id] = scalarsAt(each, GENE_OF[by].split('.'))
      const isKnown = documents.genes.some((known) => known.gene_id === id)
      return gene.gene_id === (isKnown ? id : undefined)
    }
    const all = objectsAt(change ?? {}, ['consequence'])
    if (!all.some(isHit)) return []
    const consequence = by === 'ssm' ? all.filter(isHit) : all
    const id = `${by}_occurrence_id`
    const observed = { [id]: occurrence[id], observation: where?.observation }
    return [{ ...change, ...named, ...observed, consequence }]
  })
}

const LEVELS = [
  'ssm',
  'ssm.consequence',
  'ssm.observation',
  'cnv',
  'cnv.consequence',
  'cnv.observation',
]

/** Fields of a pair, with the prefixes `case.`, `gene.`, `ssm.` and `cnv.`. */
const PAIR_VIEW: View = {
  nested: [
    ...LEVELS,
    ...DATASETS.cases.nested.map((path) => `case.${path}`),
    ...DATASETS.genes.nested.map((path) => `gene.${path}`),
  ],
  typeOf(field) {
    const [part = '', ...names] = field.split('.')
    const path = names.join('.')
    if (part === 'case') return typeOf(DATASETS.cases, path)
    if (part === 'gene') return typeOf(DATASETS.genes, path)
    const occurrences = DATASETS[part === 'ssm' ? 'ssm_occurrences' : 'cnv_occurrences']
    return typeOf(occurrences, names[0] === 'observation' ? `case.${path}` : field)
  },
}

/** Returns documents of cases with their pairs below `gene`, or of genes with their pairs below `case`. */
function naiveCentric(
  root: 'case' | 'gene',
  documents: Given,
): { readonly documents: readonly Json[]; readonly view: View } {
  const other = root === 'case' ? 'gene' : 'case'
  const dataset = DATASETS[`${root}s`]
  const pairs = naivePairs(documents)
  const records = documents[`${root}s`].map((doc) => wholeOf(dataset, doc, { documents }))
  const idField = dataset.idField
  return {
    documents: records
      .toSorted((a, b) => compareUtf8(String(a[idField]), String(b[idField])))
      .map((record) => ({
        ...record,
        [other]: pairs
          .filter((pair) => pair[root][idField] === record[idField])
          .map(({ [other]: member, ssm, cnv }) => ({ ...member, ssm, cnv })),
      })),
    view: {
      nested: [
        ...dataset.nested,
        ...[other, ...DATASETS[`${other}s`].nested.map((path) => `${other}.${path}`)],
        ...LEVELS.map((path) => `${other}.${path}`),
      ],
      typeOf: (field) =>
        field.startsWith(`${other}.`)
          ? PAIR_VIEW.typeOf(
              /^\w+\.(ssm|cnv)\./.test(field) ? field.slice(other.length + 1) : field,
            )
          : typeOf(dataset, field),
    },
  }
}

/** Returns whole documents with the fields that conditions on a root refer to. */
export function seenFrom(
  root: Root,
  documents: Given,
): { readonly documents: readonly Json[]; readonly view: View } {
  if (root !== 'pair') return naiveCentric(root, documents)
  return { documents: naivePairs(documents).map((pair) => ({ ...pair })), view: PAIR_VIEW }
}

const CASE = [
  ...['case_id', 'disease_type', 'project.project_id', 'project.primary_site'],
  ...['demographic.gender', 'diagnoses.morphology', 'diagnoses.age_at_diagnosis'],
  'available_variation_data',
]
const GENE = ['gene_id', 'symbol', 'biotype', 'transcripts.name', 'transcripts.length']
const MUTATION = [
  ...['ssm.ssm_id', 'ssm.chromosome', 'ssm.start_position', 'ssm.observation.center'],
  ...['ssm.observation.variant_calling.variant_caller', 'ssm.consequence.transcript.gene.symbol'],
  ...['ssm.consequence.transcript.consequence_type', 'ssm.consequence.transcript.is_canonical'],
  'ssm.consequence.transcript.annotation.vep_impact',
  'ssm.consequence.transcript.annotation.sift_score',
  ...['cnv.cnv_id', 'cnv.cnv_change', 'cnv.variant_status', 'cnv.observation.src_file_id'],
  'cnv.consequence.gene.symbol',
]
const under = (prefix: string, names: readonly string[]) => names.map((name) => `${prefix}.${name}`)

/** Names of fields in the documents of each root. */
export const FIELDS: Readonly<Record<Root, readonly string[]>> = {
  pair: [...under('case', CASE), ...under('gene', GENE), ...MUTATION, ...MUTATION],
  case: [...CASE, ...under('gene', [...GENE, ...MUTATION, ...MUTATION])],
  gene: [...GENE, ...under('case', [...CASE, ...MUTATION, ...MUTATION])],
}

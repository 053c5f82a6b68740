import { nameUuid } from '../../../shared/catalogue/uuid.ts'
import type { JsonObject } from '../../../shared/input/json-value.ts'
import { DATASETS } from '../../datasets/index.ts'
import { caseInBarcode } from '../biospecimen/barcode.ts'
import { consequencesOf, EFFECT_COLUMNS } from '../mutation-effects.ts'
import { type Change, changeIn, changeText, PLACE_COLUMNS, subtypeOf } from '../mutation-place.ts'
import { idOf } from '../record-id.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError } from '../row-error.ts'
import { type NamedCells, readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { uuidIn } from '../uuid-cell.ts'
import { defined } from './download-manifest.ts'

export const MUTATION_TABLE = 'mutation table (MAF)'

/**
 * Somatic mutations as the commons and its predecessors publish them (MAF): a row is a mutation in
 * a sample. It becomes an occurrence with its observation; mutation, consequences and case are in it.
 */
export const mutationTable: TableKind = {
  name: MUTATION_TABLE,
  needs: [
    'Chromosome',
    ['Start_Position', 'Start_position'],
    'Reference_Allele',
    'Tumor_Seq_Allele2',
    ['Tumor_Sample_Barcode', 'case_id'],
  ],
  open(table) {
    const build = referenceIn(table.fileName)
    const caller = callerIn(table.fileName)
    const namesCanonical = table.header.includes('CANONICAL')
    return readByName(table, KNOWN, (given) => {
      // Some annotators write a point where they have nothing.
      const cell: NamedCells = (name) => {
        const text = given(name)
        return text === '.' ? undefined : text
      }
      const place = changeIn(cell, build)
      const { link, key } = caseIn(cell)
      const ssm = mutationOf(place, cell)
      const ssmId = idOf(DATASETS.ssms, ssm)?.id ?? ''
      const occurrenceId = nameUuid('ssm_occurrences', ssmId, key)
      const observed = observationOf(cell, caller)
      // Rows that differ are different observations, equal ones are the same.
      const observation = {
        observation_id: nameUuid(occurrenceId, JSON.stringify(observed)),
        ...observed,
      }
      table.intake.record('ssm_occurrences', {
        ssm_occurrence_id: occurrenceId,
        ssm: { ...ssm, consequence: consequencesOf(cell, { ssmId, namesCanonical }) },
        case: { ...link, available_variation_data: ['ssm'], observation: [observation] },
      })
    })
  },
}

/** The service's names of the callers whose calls it publishes in files of their own. */
const CALLERS: Readonly<Record<string, string>> = {
  mutect: 'mutect2',
  mutect2: 'mutect2',
  muse: 'muse',
  pindel: 'pindel',
  somaticsniper: 'somaticsniper',
  varscan: 'varscan2',
  varscan2: 'varscan2',
}

function callerIn(fileName: string): string | undefined {
  const part = fileName
    .toLowerCase()
    .split('.')
    .find((each) => Object.hasOwn(CALLERS, each))
  return part === undefined ? undefined : CALLERS[part]
}

/** The case, and what stands for it in ids: the same whether a table has its id or its name alone. */
function caseIn(cell: NamedCells): { readonly link: JsonObject; readonly key: string } {
  const caseId = uuidIn(cell('case_id'), 'case_id')
  const barcode = cell('Tumor_Sample_Barcode')
  const name = caseInBarcode(barcode ?? '') ?? (caseId ? undefined : barcode)
  const key = name ?? caseId
  if (key === undefined) throw new RowError('the row names no case: no case_id and no barcode')
  return { link: defined({ case_id: caseId, submitter_id: name }), key }
}

function mutationOf(change: Change, cell: NamedCells): JsonObject {
  const cosmic = idsIn(cell('COSMIC'), /^COS[A-Z]*\d+$/)
  const catalog = [...cosmic, ...idsIn(cell('dbSNP_RS'), /^rs\d+$/)].sort()
  return defined({
    chromosome: change.chromosome,
    start_position: change.start,
    end_position: change.end,
    reference_allele: change.reference,
    tumor_allele: change.tumour,
    agency_build: change.build,
    mutation_type: 'Simple Somatic Mutation',
    mutation_subtype: subtypeOf(change),
    genomic_dna_change: changeText(change),
    catalog_id: catalog.length > 0 ? catalog : null,
  })
}

function idsIn(text: string | undefined, pattern: RegExp): readonly string[] {
  return [...new Set((text ?? '').split(/[;,&]/))].filter((each) => pattern.test(each))
}

function observationOf(cell: NamedCells, caller: string | undefined): JsonObject {
  const group = (names: readonly (readonly [string, string])[], value: typeof textOf) => {
    const members = defined(
      Object.fromEntries(names.map(([member, column]) => [member, value(cell(column))])),
    )
    return Object.keys(members).length > 0 ? members : undefined
  }
  const variantCaller = cell('callers') ?? caller
  return defined({
    ...group(OBSERVED, textOf),
    read_depth: group(DEPTHS, wholeNumber),
    ...Object.fromEntries(GROUPS.map(([name, members]) => [name, group(members, textOf)])),
    variant_calling: variantCaller === undefined ? undefined : { variant_caller: variantCaller },
  })
}

const textOf = (text: string | undefined): string | number | undefined => text

type Columns = readonly (readonly [member: string, column: string])[]

const OBSERVED: Columns = [
  ['center', 'Center'],
  ['mutation_status', 'Mutation_Status'],
]

const DEPTHS: Columns = [
  ['t_depth', 't_depth'],
  ['t_ref_count', 't_ref_count'],
  ['t_alt_count', 't_alt_count'],
  ['n_depth', 'n_depth'],
]

/** Groups of an observation and their columns. */
const GROUPS: readonly (readonly [string, Columns])[] = [
  [
    'sample',
    [
      ['tumor_sample_barcode', 'Tumor_Sample_Barcode'],
      ['tumor_sample_uuid', 'Tumor_Sample_UUID'],
      ['matched_norm_sample_barcode', 'Matched_Norm_Sample_Barcode'],
      ['matched_norm_sample_uuid', 'Matched_Norm_Sample_UUID'],
    ],
  ],
  [
    'input_bam_file',
    [
      ['tumor_bam_uuid', 'tumor_bam_uuid'],
      ['normal_bam_uuid', 'normal_bam_uuid'],
    ],
  ],
  [
    'tumor_genotype',
    [
      ['tumor_seq_allele1', 'Tumor_Seq_Allele1'],
      ['tumor_seq_allele2', 'Tumor_Seq_Allele2'],
    ],
  ],
  [
    'normal_genotype',
    [
      ['match_norm_seq_allele1', 'Match_Norm_Seq_Allele1'],
      ['match_norm_seq_allele2', 'Match_Norm_Seq_Allele2'],
    ],
  ],
  [
    'validation',
    [
      ['tumor_validation_allele1', 'Tumor_Validation_Allele1'],
      ['tumor_validation_allele2', 'Tumor_Validation_Allele2'],
      ['validation_method', 'Validation_Method'],
    ],
  ],
]

const KNOWN = [
  ...PLACE_COLUMNS,
  ...EFFECT_COLUMNS,
  'case_id',
  'COSMIC',
  'callers',
  ...[...OBSERVED, ...DEPTHS, ...GROUPS.flatMap(([, members]) => members)].map(
    ([, column]) => column,
  ),
]

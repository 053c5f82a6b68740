import type { JsonObject } from '../../../shared/input/json-value.ts'
import { count, EMPTY_WORDS, id, name, type RowOf, text, withValues } from '../columns.ts'
import { defined, partOf } from '../defined.ts'
import type { Intake } from '../intake.ts'
import { consequencesOf, EFFECT_COLUMNS } from '../mutation-effects.ts'
import {
  type Change,
  changeIn,
  changeText,
  contradictsType,
  PLACE_COLUMNS,
  subtypeOf,
} from '../mutation-place.ts'
import { MutationWriter } from '../mutation-writer.ts'
import { placeId } from '../record-id.ts'
import { contextIn, isSubstitution } from '../reference-context.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError } from '../row-error.ts'
import { SpecimenDoubts } from '../specimen-doubts.ts'
import { type Patient, Specimens } from '../specimens.ts'
import { declareTable } from '../table-kind.ts'

export const MUTATION_TABLE = 'mutation table (MAF)'

const ON_REVERSE = 'of the reverse strand; the alleles are taken as on the forward one'
const OTHER_TYPE = 'of another type than the alleles, which are taken'
const MORE_THAN_ALL = 'above t_depth, which counts all reads'
const WITH_ANCHOR = 'written without the bases that both alleles begin with'
const OTHER_BASES = 'without the reference allele in the middle; these contexts are not kept'
const AFTER_INSERTION = 'written as the base after the insertion'

/** Columns that become text members of an observation, keyed by member name. */
const OBSERVED = {
  center: text('Center'),
  mutation_status: withValues(text('Mutation_Status'), 'None'),
}

const DEPTHS = {
  t_depth: count('t_depth'),
  t_ref_count: count('t_ref_count'),
  t_alt_count: count('t_alt_count'),
  n_depth: count('n_depth'),
}

const SAMPLE = {
  tumor_sample_barcode: name('Tumor_Sample_Barcode'),
  tumor_sample_uuid: name('Tumor_Sample_UUID'),
  matched_norm_sample_barcode: name('Matched_Norm_Sample_Barcode'),
  matched_norm_sample_uuid: name('Matched_Norm_Sample_UUID'),
}

/** Groups of columns that become object members of an observation, keyed by member name. */
const GROUPS = {
  read_depth: DEPTHS,
  sample: SAMPLE,
  input_bam_file: {
    tumor_bam_uuid: text('tumor_bam_uuid'),
    normal_bam_uuid: text('normal_bam_uuid'),
  },
  normal_genotype: {
    match_norm_seq_allele1: text('Match_Norm_Seq_Allele1'),
    match_norm_seq_allele2: text('Match_Norm_Seq_Allele2'),
  },
  validation: {
    tumor_validation_allele1: text('Tumor_Validation_Allele1'),
    tumor_validation_allele2: text('Tumor_Validation_Allele2'),
    validation_method: text('Validation_Method'),
  },
}

const COLUMNS = {
  ...PLACE_COLUMNS,
  ...EFFECT_COLUMNS,
  ...OBSERVED,
  ...GROUPS.read_depth,
  ...GROUPS.sample,
  ...GROUPS.input_bam_file,
  ...GROUPS.normal_genotype,
  ...GROUPS.validation,
  caseId: id('case_id'),
  cosmic: text('COSMIC'),
  context: text('CONTEXT', 'ref_context'),
  callers: text('callers'),
}
type Row = RowOf<typeof COLUMNS>

/**
 * A table of somatic mutations (MAF), as published by the commons and its predecessors, with a row per
 * mutation and sample. Each row becomes an occurrence with its observation, and contains the mutation, its
 * consequences and the case.
 */
export const mutationTable = declareTable({
  name: MUTATION_TABLE,
  needsCases: true,
  rowsStandAlone: true,
  columns: COLUMNS,
  needs: ['chromosome', 'start', 'reference', 'allele2', ['tumor_sample_barcode', 'caseId']],
  // Some annotators write a dot for a missing value.
  nothing: new Set([...EMPTY_WORDS, '.']),
  open(table) {
    const { header, fileName, intake, cases, patients } = table
    const build = referenceIn(fileName)
    const caller = callerIn(fileName)
    const namesCanonical = header.includes('CANONICAL')
    const specimens = new Specimens(cases, intake.joins, patients)
    const doubts = new SpecimenDoubts(table)
    const writer = new MutationWriter(intake, patients)
    return (row) => {
      const place = changeIn(row, build)
      tellDoubts(row, place, intake)
      const patient = patientIn(row, specimens)
      intake.noteBuild(place.build)
      doubts.judge('tumor', row.tumor_sample_barcode, row.tumor_sample_uuid)
      doubts.judge('normal', row.matched_norm_sample_barcode, row.matched_norm_sample_uuid)
      const ssm = mutationOf(place, row)
      const ssmId = placeId('ssms', ssm) ?? ''
      const consequence = consequencesOf(row, { ssmId, namesCanonical })
      writer.add(ssmId, { ...ssm, consequence, ssm_id: ssmId }, patient, observationOf(row, caller))
    }
  },
})

/** Counts values of a row that contradict its alleles or its depth, or were written in an unusual way. */
function tellDoubts(row: Row, change: Change, intake: Intake): void {
  const { strand, variantType, reference, end, t_depth: depth, t_alt_count: alternate } = row
  if (row.context !== undefined && isSubstitution(change) && !contextIn(row.context, change)) {
    intake.tallyOf('CONTEXT').addChange(OTHER_BASES)
  }
  if (strand === '-' || strand === '-1') intake.tallyOf('Strand').addChange(ON_REVERSE)
  if (contradictsType(variantType, change)) intake.tallyOf('Variant_Type').addChange(OTHER_TYPE)
  if (reference?.toUpperCase() !== change.reference) {
    intake.tallyOf('Reference_Allele').addChange(WITH_ANCHOR)
  } else if (end !== undefined && end !== change.end) {
    intake.tallyOf('End_Position').addChange(AFTER_INSERTION)
  }
  if (depth !== undefined && alternate !== undefined && alternate > depth) {
    intake.tallyOf('t_alt_count').addChange(MORE_THAN_ALL)
  }
}

/** Caller names as used by the service, keyed by the part of a file name. */
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

/**
 * Returns the case of a row. The case has the same key whether the table names it by its id or by a barcode,
 * provided that the barcode contains the name of the case.
 * @throws RowError if the row names no case; or like Specimens.of and Specimens.ofCase
 */
function patientIn(row: Row, specimens: Specimens): Patient {
  const { caseId, tumor_sample_barcode: barcode, tumor_sample_uuid: uuid } = row
  if (caseId === undefined && barcode === undefined) {
    throw new RowError('the row names no case: no case_id and no barcode')
  }
  if (caseId === undefined) return specimens.of(barcode, uuid)
  return specimens.ofCase(caseId, barcode, uuid)
}

function mutationOf(change: Change, row: Row): JsonObject {
  const catalog = [...idsIn(row.cosmic, /^COS[A-Z]*\d+$/), ...idsIn(row.dbsnp_rs, /^rs\d+$/)].sort()
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
    reference_context: contextIn(row.context, change),
  })
}

function idsIn(text: string | undefined, pattern: RegExp): readonly string[] {
  if (text === undefined) return []
  return [...new Set(text.split(/[;,&]/))].filter((each) => pattern.test(each))
}

function observationOf(row: Row, caller: string | undefined): JsonObject {
  const variantCaller = row.callers ?? caller
  const { read_depth, sample, input_bam_file, normal_genotype, validation } = GROUPS
  return defined({
    ...groupOf(row, OBSERVED),
    read_depth: groupOf(row, read_depth),
    sample: groupOf(row, sample),
    input_bam_file: groupOf(row, input_bam_file),
    tumor_genotype: partOf({ tumor_seq_allele1: row.allele1, tumor_seq_allele2: row.allele2 }),
    normal_genotype: groupOf(row, normal_genotype),
    validation: groupOf(row, validation),
    variant_calling: variantCaller === undefined ? undefined : { variant_caller: variantCaller },
  })
}

/** Returns an object with the values of a group of columns, or undefined if all are missing. */
function groupOf(row: Row, group: Partial<typeof COLUMNS>): JsonObject | undefined {
  let part: JsonObject | undefined
  for (const key in group) {
    const value = row[key as keyof Row]
    if (value === undefined) continue
    part ??= {}
    part[key] = value
  }
  return part
}

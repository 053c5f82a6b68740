import { fields, pick } from '../compose.ts'
import { geneProperties } from './gene-properties.ts'
import { copyNumberCase, variantCase } from './variant-case.ts'

const position = fields({
  keyword: 'chromosome cnv_change cnv_change_5_category',
  long: 'end_position start_position',
})

/** A copy-number change of a gene. The dataset adds the occurrences. */
export const geneChange = {
  ...position,
  ...fields({ keyword: 'agency_build cnv_id', boolean: 'gene_level_cn' }),
  consequence: fields(
    { keyword: 'consequence_id' },
    { gene: pick(geneProperties, 'biotype gene_id is_cancer_gene_census symbol') },
  ),
}

/** A copy-number change of a segment. The dataset adds the occurrences. */
export const segmentChange = {
  ...position,
  ...fields({ keyword: 'segment_cnv_id', long: 'length' }),
}

const observed = fields(
  { keyword: 'observation_id src_file_id variant_status' },
  { variant_calling: fields({ keyword: 'variant_caller' }) },
)

const geneChangeObservation = {
  ...observed,
  sample: fields({ keyword: 'tumor_sample_barcode tumor_sample_uuid' }),
}

/** The case of an occurrence. In the change itself, the case has no body mass index. */
export const geneChangeCase = { ...copyNumberCase, observation: geneChangeObservation }
export const geneChangeCaseInChange = { ...variantCase, observation: geneChangeObservation }

export const segmentChangeCase = {
  ...copyNumberCase,
  observation: { ...observed, ...fields({ long: 'copy_number sample_ploidy_integer' }) },
}

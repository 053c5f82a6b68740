import { nameUuid } from '../../shared/catalogue/uuid.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { NOTHING } from '../../shared/input/nothing.ts'
import {
  classification,
  gene,
  hgvsc,
  hgvsp,
  protein,
  type RowOf,
  symbol,
  text,
  withValues,
} from './columns.ts'
import { defined } from './defined.ts'
import { codingChange, decoded, shortChange } from './hgvs.ts'
import { consequenceOf } from './variant-classes.ts'

/** Columns that become text members of an annotation, keyed by member name. */
const ANNOTATIONS = {
  amino_acids: text('Amino_acids'),
  ccds: text('CCDS'),
  cdna_position: text('cDNA_position'),
  cds_position: text('CDS_position'),
  clin_sig: text('CLIN_SIG'),
  codons: text('Codons'),
  dbsnp_rs: text('dbSNP_RS'),
  dbsnp_val_status: text('dbSNP_Val_Status'),
  domains: text('DOMAINS'),
  ensp: text('ENSP'),
  existing_variation: text('Existing_variation'),
  hgvsc: hgvsc('HGVSc'),
  hgvsp: hgvsp('HGVSp'),
  hgvsp_short: protein('HGVSp_Short'),
  protein_position: text('Protein_position'),
  pubmed: text('PUBMED'),
  swissprot: text('SWISSPROT'),
  trembl: text('TREMBL'),
  uniparc: text('UNIPARC'),
  vep_impact: text('IMPACT'),
}
const MEMBERS = Object.keys(ANNOTATIONS) as (keyof typeof ANNOTATIONS)[]

export const EFFECT_COLUMNS = {
  ...ANNOTATIONS,
  // Columns of other annotators with the same content as `HGVSp_Short`.
  proteinChange: protein(
    ...(['Protein_Change', 'Protein_change'] as const),
    'amino_acid_change',
    'Amino_Acid_Change',
  ),
  allEffects: text('all_effects'),
  canonical: text('CANONICAL'),
  consequence: text('Consequence'),
  feature: text('Feature'),
  gene: gene('Gene'),
  hugoSymbol: withValues(symbol('Hugo_Symbol'), 'NA'),
  oneConsequence: text('One_Consequence'),
  polyphen: text('PolyPhen'),
  refSeq: text('RefSeq'),
  sift: text('SIFT'),
  symbol: withValues(symbol('SYMBOL'), 'NA'),
  transcript: text('Transcript_ID'),
  classification: classification('Variant_Classification'),
}
type Row = RowOf<typeof EFFECT_COLUMNS>

/**
 * Returns the consequences of a row's mutation, one per listed transcript. The annotated transcript also gets
 * the data of all annotation columns.
 */
export function consequencesOf(
  row: Row,
  { ssmId, namesCanonical }: { readonly ssmId: string; readonly namesCanonical: boolean },
): readonly JsonObject[] {
  const transcripts = new Map<string, JsonObject>()
  for (const effect of row.allEffects?.split(';') ?? []) {
    const transcript = listedTranscript(effect)
    if (transcript) transcripts.set(String(transcript.transcript_id), transcript)
  }
  const id = row.transcript ?? row.feature
  if (id !== undefined) {
    const listed = transcripts.get(id) ?? {}
    // If a table marks canonical transcripts, an empty cell means that the transcript is not canonical.
    const canonical = namesCanonical ? { is_canonical: row.canonical === 'YES' } : {}
    transcripts.set(id, { ...listed, ...annotatedTranscript(row, id), ...canonical })
  } else if (transcripts.size === 0) {
    const nameless = annotatedTranscript(row, undefined)
    if (Object.keys(nameless).length > 0) transcripts.set('', nameless)
  }
  return [...transcripts].map(([name, transcript]) => ({
    consequence_id: nameUuid(ssmId, name),
    transcript,
  }))
}

/**
 * Parses an item of the column `all_effects`: symbol, consequence, protein change, transcript, RefSeq and, in
 * later releases, coding change, impact, canonical, SIFT, PolyPhen.
 */
function listedTranscript(effect: string): JsonObject | undefined {
  const items = effect.split(',')
  const item = (i: number) => {
    const text = items[i]?.trim() ?? ''
    return NOTHING.has(text) ? undefined : text
  }
  const id = item(3)
  if (id === undefined) return undefined
  const change = item(2) === undefined ? undefined : shortChange(item(2) ?? '')
  const annotation = defined({
    transcript_id: id,
    hgvsp_short: change,
    hgvsc: codingOf(item(5), [id]),
    vep_impact: item(6),
    ...prediction('sift', item(8)),
    ...prediction('polyphen', item(9)),
  })
  const symbol = item(0)
  return defined({
    transcript_id: id,
    consequence_type: firstOf(item(1)),
    ...proteinChange(change),
    is_canonical: items.length > 7 ? item(7) === 'YES' : undefined,
    ref_seq_accession: items[4]?.trim(),
    annotation,
    gene: symbol === undefined ? undefined : { symbol },
  })
}

function annotatedTranscript(row: Row, id: string | undefined): JsonObject {
  const change = changeOf(row)
  const annotation: JsonObject = {}
  if (id !== undefined) annotation.transcript_id = id
  for (const member of MEMBERS) {
    const said = row[member]
    if (said !== undefined) annotation[member] = decoded(said)
  }
  const coding = codingOf(row.hgvsc, [
    row.transcript,
    row.feature,
    ...(row.refSeq?.split(';') ?? []),
  ])
  if (coding !== undefined) annotation.hgvsc = coding
  if (change !== undefined) annotation.hgvsp_short = change
  Object.assign(annotation, codingSpan(row.cds_position))
  Object.assign(annotation, prediction('sift', row.sift), prediction('polyphen', row.polyphen))
  const symbol = row.symbol ?? row.hugoSymbol
  const hit = defined({ gene_id: row.gene, symbol: symbol === 'Unknown' ? undefined : symbol })
  return defined({
    transcript_id: id,
    consequence_type:
      firstOf(row.oneConsequence ?? row.consequence) ?? consequenceOf(row.classification),
    ...proteinChange(change),
    ref_seq_accession: row.refSeq?.replaceAll(';', '&'),
    annotation: Object.keys(annotation).length > 0 ? annotation : undefined,
    gene: Object.keys(hit).length > 0 ? hit : undefined,
  })
}

/** Returns the protein change as `p.V600E`, from the first column that has it. */
function changeOf({
  hgvsp_short: short,
  proteinChange: other,
  hgvsp: long,
}: Row): string | undefined {
  if (short !== undefined) return short
  if (other !== undefined && other !== 'NULL') return other
  return long === undefined ? undefined : shortChange(long)
}

/** Removes the transcript before a coding change in HGVS, if the row lists this transcript. */
function codingOf(
  text: string | undefined,
  transcripts: readonly (string | undefined)[],
): string | undefined {
  if (text === undefined || !text.includes(':')) return text && decoded(text)
  const { sequence, change } = codingChange(decoded(text))
  const isOwn = transcripts.some(
    (id) => id !== undefined && unversioned(id) === unversioned(sequence),
  )
  return isOwn ? change : decoded(text)
}

const unversioned = (id: string | undefined) => id?.replace(/\.\d+$/, '')

const firstOf = (text: string | undefined) => text?.split(/[&;,]/)[0]

/** Parses a protein change such as `p.V600E` into `V600E` and the range of amino acids, 1-based and inclusive. */
function proteinChange(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const change = text.replace(/^p\./, '')
  const span = /^[A-Z*]+(\d+)(?:_[A-Z*]+(\d+))?/.exec(change)
  if (!span) return undefined
  const start = Number(span[1])
  return { aa_change: change, aa_start: start, aa_end: span[2] ? Number(span[2]) : start }
}

/** Parses the range of coding bases and the coding length from `1413/1992`, `12-14/1992` or `-/1992`. */
function codingSpan(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const span = /^(?:(\d+)(?:-(\d+))?|[-?\d]*)\/(\d+)$/.exec(text)
  if (!span) return undefined
  const [, start, end, length] = span
  const place = start ? { cds_start: Number(start), cds_end: Number(end ?? start) } : {}
  return { ...place, cds_length: Number(length) }
}

/** Parses a prediction such as `deleterious(0.01)` into its impact and score. */
function prediction(name: 'sift' | 'polyphen', text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const said = /^(\w+)(?:\(([\d.]+)\))?$/.exec(text)
  if (!said) return undefined
  return defined({
    [`${name}_impact`]: said[1],
    [`${name}_score`]: said[2] === undefined ? undefined : Number(said[2]),
  })
}

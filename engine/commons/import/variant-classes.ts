/** Consequence type of each variant classification, or '' if a classification has several. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  "3'Flank": 'downstream_gene_variant',
  "3'UTR": '3_prime_UTR_variant',
  "5'Flank": 'upstream_gene_variant',
  "5'UTR": '5_prime_UTR_variant',
  De_novo_Start_InFrame: '5_prime_UTR_variant',
  De_novo_Start_OutOfFrame: '5_prime_UTR_variant',
  Frame_Shift_Del: 'frameshift_variant',
  Frame_Shift_Ins: 'frameshift_variant',
  IGR: 'intergenic_variant',
  In_Frame_Del: 'inframe_deletion',
  In_Frame_Ins: 'inframe_insertion',
  Intron: 'intron_variant',
  lincRNA: 'non_coding_transcript_exon_variant',
  Missense_Mutation: 'missense_variant',
  Nonsense_Mutation: 'stop_gained',
  Nonstop_Mutation: 'stop_lost',
  RNA: 'non_coding_transcript_exon_variant',
  Silent: 'synonymous_variant',
  Splice_Region: 'splice_region_variant',
  Splice_Site: 'splice_site_variant',
  Start_Codon_Del: 'start_lost',
  Start_Codon_Ins: 'start_lost',
  Start_Codon_SNP: 'start_lost',
  Stop_Codon_Del: 'stop_lost',
  Stop_Codon_Ins: '',
  Targeted_Region: '',
  Translation_Start_Site: 'start_lost',
}

const BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.keys(CONSEQUENCES).map((name) => [name.toLowerCase(), name]),
)

/** Parses a variant classification in any letter case. */
export const classificationIn = (text: string): string | undefined =>
  Object.hasOwn(CONSEQUENCES, text) ? text : BY_WORD.get(text.toLowerCase())

/** Returns the consequence type for a variant classification. Undefined if there is none or several. */
export const consequenceOf = (classification: string | undefined): string | undefined =>
  CONSEQUENCES[classification ?? ''] || undefined

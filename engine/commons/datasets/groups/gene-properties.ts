import { fields } from '../compose.ts'

/** Properties of a gene as shown in the consequences of a mutation. */
export const geneProperties = fields({
  keyword: 'canonical_transcript_id cytoband gene_chromosome symbol synonyms',
  exact: 'biotype gene_id',
  long: 'gene_end gene_start gene_strand',
  boolean: 'is_cancer_gene_census',
})

export const externalDatabaseIds = fields({
  keyword: 'entrez_gene hgnc omim_gene uniprotkb_swissprot',
})

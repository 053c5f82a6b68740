import { expect, test } from 'vitest'
import { accessOf, dataFormatOf } from './file-rules.ts'

test.each([
  ['a.bam', 'BAM'],
  ['a.vep.vcf.gz', 'VCF'],
  ['A.MAF.GZ', 'MAF'],
  ['a.htseq.counts.gz', 'TXT'],
  ['clinical.xml', 'BCR XML'],
  ['a.tar.gz', 'TAR'],
  ['a.constructor', undefined],
  ['noending', undefined],
])('%s is of the format %s', (name, format) => {
  expect(dataFormatOf(name)).toBe(format)
})

// According to the data notes, alignments, raw and annotated calls and files named protected are controlled.
// Masked MAF, expression, methylation, copy numbers and clinical supplements are open.
test.each([
  ['x.bam', undefined, 'controlled'],
  ['x.vcf.gz', 'Masked Somatic Mutation', 'controlled'],
  ['x.protected.maf.gz', 'Masked Somatic Mutation', 'controlled'],
  ['x.maf.gz', 'Annotated Somatic Mutation', 'controlled'],
  ['x.maf.gz', 'Aggregated Somatic Mutation', 'controlled'],
  ['x.tsv', 'Splice Junction Quantification', 'controlled'],
  ['x.bin', 'Something New', 'controlled'],
  ['x.bin', undefined, 'controlled'],
  ['x.maf.gz', 'Masked Somatic Mutation', 'open'],
  ['x.tsv', 'Gene Expression Quantification', 'open'],
  ['x.txt', 'Methylation Beta Value', 'open'],
  ['x.seg.txt', 'Copy Number Segment', 'open'],
  ['x.xml', 'Clinical Supplement', 'open'],
  ['TCGA.X.mutect.somatic.maf.gz', undefined, 'open'],
  ['nationwidechildrens.org_clinical.TCGA-X.xml', undefined, 'open'],
  ['x.mirbase21.isoforms.quantification.txt', undefined, 'open'],
  ['x.FPKM-UQ.txt.gz', undefined, 'open'],
  ['TCGA_X.nocnv_grch38.seg.v2.txt', undefined, 'open'],
])('%s of type %s is %s', (file_name, data_type, access) => {
  const file = { file_name, data_type, data_format: dataFormatOf(file_name) }
  expect(accessOf(file)).toBe(access)
})

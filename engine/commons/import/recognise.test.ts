import { expect, test } from 'vitest'
import { recognise } from './recognise.ts'

const kindOf = async (content: string | Buffer, name = 'x', as?: 'cases', only?: string) => {
  const kind = await recognise(Buffer.from(content), name, { as, only })
  if (kind.form === 'none') return kind.reason
  return kind.form === 'json' ? 'JSON' : kind.kind.name
}

test.each([
  ['[{"file_id":"f"}]', 'JSON'],
  ['\n {"case_id":"c"}\n{"case_id":"d"}', 'JSON'],
  ['{"data":{"hits":[{"id":"x","ssm":{}}]}}', 'JSON'],
  ['{"data":{"hits":[],"pagination":{}},"warnings":{}}', 'JSON'],
  ['{"data":{"project_id":"P","name":"n"}}', 'JSON'],
  // This text is longer than the part that is looked at.
  [`[{"case_id":"c","x":"${'y'.repeat(1000)}`, 'JSON'],
  ['id\tfilename\tmd5\tsize\tstate\n', 'download manifest'],
  ['gene_id\tsymbol\tgene_start\tgene_end\n', 'search answer (TSV)'],
  ['gene_id\tsymbol\tchr\tstart\tend\n', 'table of genes'],
  ['file_id\tcases.0.case_id\tdata_type\n', 'search answer (TSV)'],
  [
    'Chromosome\tStart_Position\tReference_Allele\tTumor_Seq_Allele2\tTumor_Sample_Barcode\n',
    'mutation table (MAF)',
  ],
  ['\ufeff#version 2.4\nid\tfilename\tmd5\tsize\n', 'download manifest'],
  ['"id"\t"filename"\t"md5"\t"size"\n', 'download manifest'],
  ['id\tfilename\tmd5\tsize\tproject_id\tcases_0_submitter_id\n', 'download manifest'],
  ['id\tfile_name\tmd5sum\tfile_size\tcases.0.case_id\taccess\n', 'search answer (TSV)'],
  ['file_id\tfile_name\tcases_0_submitter_id\tproject_id\n', 'search answer (TSV)'],
  ['case_id\tcase_submitter_id\tsample_id\n', 'clinical or biospecimen export (before 2024)'],
  ['Hugo_Symbol\tEntrez_Gene_Id\tS1\nTP53\t7157\t-2\n\n', 'copy-number table'],
  ['sample\tOS\t_PATIENT\tOS.time\n', 'survival table'],
  ['id\tfilename\tmd5\tsize\rf\ta\tm\t1\r', 'download manifest'],
])('%j is taken', async (content, kind) => {
  expect(await kindOf(content)).toBe(kind)
})

test.each([
  ['', 'it is empty'],
  ['BAM\x01rest', 'alignments are stored by "casemill import bam"'],
  ['\x89HDF\r\n\x1a\nrest', 'HDF5 files are stored by "casemill import files"'],
  ['PK\x03\x04', 'it is a ZIP archive'],
  ['a\0b', 'it is neither JSON nor a table of text'],
  ['case_id\tK\xf6ln\n', 'it is not UTF-8; save it as UTF-8'],
  ['c\0a\0s\0e\0\t\0b\0\n\0', 'it is text in UTF-16; save it as UTF-8'],
  ['[{"colour":"red"}]', 'its JSON has no records of the commons'],
  [
    '[{"gene_id":"g","file_id":"f","cells":[],"errors":[],"case_id":"c"}]',
    'its JSON has no records of the commons',
  ],
  ['[1,2]', 'its JSON has no records of the commons'],
  ['"_PATIENT";"sample";"OS";"OS.time"\n"P";"S";1;12,5\n', 'are separated by semicolons'],
  ['"_PATIENT" "sample" "OS" "OS.time"\n"1" "P" "S" 1 12\n', 'are separated by blanks'],
  ['id|filename|md5|size\n', 'are separated by bars'],
  ['Hugo_Symbol\tEntrez_Gene_Id\tS1\nTP53\t7157\t-1.5\n', '"-1.5" in line 2'],
  ['[broken', 'its JSON has no records of the commons'],
  [
    'Hugo_Symbol\tChromosome\n',
    'nearest is a mutation table (MAF) (missing: "Start_Position", "Reference_Allele", "Tumor_Seq_Allele2", "Tumor_Sample_Barcode")',
  ],
  ['ID\tchrom\tnum.mark\tseg.mean\n', 'nearest is a copy-number table (missing: "Start", "End")'],
  ['File ID\tFile Name\tCase ID\n', 'nearest is a sample sheet (missing: "Sample ID")'],
  [
    'id\tfilename\tproject_id\tsize\n',
    'nearest is a project manifest with versions (missing: "case_ids"), then a download manifest (missing: "md5")',
  ],
  ['Unique Name\tDescriptor\tWide Peak Limits\tTCGA-OR-A5J1\n', 'all_lesions'],
  ['Type\tChromosome\tStart\tEnd\t-log10(q-value)\tG-score\n', 'scores.gistic'],
  ['Chromosome Arm\tTCGA-OR-A5J1-01\n1p\t0.2\n', 'broad_values_by_arm'],
  ['cytoband\t11q13.3\tXp22.2\t\nq value\t1e-3\t0.2\t\n', 'amp_genes'],
  ['Gene Symbol\tGene ID\tCytoband\tTCGA-OR-A5J1-01\nA\t1\t1p1\t-0.31\n', 'all_data_by_genes'],
  ['Arm\t# Genes\tAmp frequency\n', 'import all_thresholded.by_genes.txt of the same run'],
  ['icgc_mutation_id\ticgc_donor_id\tmutated_to_allele\n', 'icgcSimpleMutationToMAF'],
  ['icgc_donor_id\tproject_code\tdonor_sex\n', 'it is a table of the ICGC, which is not imported'],
  ['PATIENT_ID\tOS_STATUS\tOS_MONTHS\n', 'OS.time (days)'],
  ['id\ttime\tsurvivalEstimate\n', 'curves are computed of them'],
  ['gene_id\tTCGA-AA-0001\tTCGA-AA-0002\n', 'imported by "casemill import expression"'],
  ['gene_id\tsample_1\n', 'its columns are those of no table that is known'],
  ['some text\nof two lines', 'it is neither JSON nor a table that is known'],
])('%j is told why it is not taken', async (content, reason) => {
  expect(await kindOf(Buffer.from(content, 'latin1'))).toContain(reason)
})

test.each([
  [
    'a\tb\n',
    'it is no mutation table (MAF), which has columns such as Chromosome, Start_Position, ',
  ],
  [
    'Chromosome\tReference_Allele\n',
    '"Start_Position", "Tumor_Seq_Allele2", "Tumor_Sample_Barcode"',
  ],
])('the columns that the wanted table lacks are told of %j', async (content, reason) => {
  expect(await kindOf(content, 'x', undefined, 'mutation table (MAF)')).toContain(reason)
})

test('--as takes records that do not say what they are', async () => {
  expect(await kindOf('[{"id":"c","colour":"red"}]', 'x', 'cases')).toBe('JSON')
  expect(await kindOf('id\tdemographic.race\tcolour\n', 'x', 'cases')).toBe('search answer (TSV)')
})

test('a beginning that cuts through a character is text', async () => {
  const text = Buffer.from('id\tfilename\tmd5\tsize\nf\tü')
  expect(await kindOf(text.subarray(0, -1))).toBe('download manifest')
})

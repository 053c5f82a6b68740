import { expect, test } from 'vitest'
import { recognise } from './recognise.ts'

const kindOf = async (content: string | Buffer, name = 'x', as?: 'cases') => {
  const kind = await recognise(Buffer.from(content), name, as)
  if (kind.form === 'none') return kind.reason
  return kind.form === 'json' ? 'JSON' : kind.kind.name
}

test.each([
  ['[{"file_id":"f"}]', 'JSON'],
  ['\n {"case_id":"c"}\n{"case_id":"d"}', 'JSON'],
  ['{"data":{"hits":[{"id":"x","ssm":{}}]}}', 'JSON'],
  ['{"data":{"hits":[],"pagination":{}},"warnings":{}}', 'JSON'],
  ['{"data":{"project_id":"P","name":"n"}}', 'JSON'],
  // Longer than what is looked at.
  [`[{"case_id":"c","x":"${'y'.repeat(1000)}`, 'JSON'],
  ['id\tfilename\tmd5\tsize\tstate\n', 'download manifest'],
  ['gene_id\tsymbol\tgene_start\tgene_end\n', 'search answer (TSV)'],
  ['gene_id\tsymbol\tchr\tstart\tend\n', 'table of genes'],
  ['file_id\tcases.0.case_id\tdata_type\n', 'search answer (TSV)'],
  [
    'Chromosome\tStart_Position\tReference_Allele\tTumor_Seq_Allele2\tTumor_Sample_Barcode\n',
    'mutation table (MAF)',
  ],
  ['"id"\t"filename"\t"md5"\t"size"\n', 'download manifest'],
])('%j is taken', async (content, kind) => {
  expect(await kindOf(content)).toBe(kind)
})

test.each([
  ['', 'it is empty'],
  ['BAM\x01rest', 'alignments are stored by "casemill import bam"'],
  ['\x89HDF\r\n\x1a\nrest', 'HDF5 files cannot be imported yet'],
  ['PK\x03\x04', 'it is a ZIP archive'],
  ['a\0b', 'it is neither JSON nor a table of text'],
  ['[{"colour":"red"}]', 'its JSON holds no records of the commons'],
  [
    '[{"gene_id":"g","file_id":"f","cells":[],"errors":[],"case_id":"c"}]',
    'its JSON holds no records of the commons',
  ],
  ['[1,2]', 'its JSON holds no records of the commons'],
  ['[broken', 'its JSON holds no records of the commons'],
  ['Hugo_Symbol\tChromosome\n', 'a mutation table (MAF) needs columns of place'],
  ['ID\tchrom\tnum.mark\tseg.mean\n', 'a copy-number table needs columns of place'],
  ['gene_id\tTCGA-AA-0001\tTCGA-AA-0002\n', 'imported by "casemill import expression"'],
  ['gene_id\tsample_1\n', 'its columns are those of no table that is known'],
  ['some text\nof two lines', 'it is neither JSON nor a table that is known'],
])('%j is told why it is not taken', async (content, reason) => {
  expect(await kindOf(Buffer.from(content, 'latin1'))).toContain(reason)
})

test('--as takes records that do not say what they are', async () => {
  expect(await kindOf('[{"id":"c","colour":"red"}]', 'x', 'cases')).toBe('JSON')
  expect(await kindOf('id\tdemographic.race\tcolour\n', 'x', 'cases')).toBe('search answer (TSV)')
})

test('a beginning that cuts through a character is text', async () => {
  const text = Buffer.from('id\tfilename\tmd5\tsize\nf\tü')
  expect(await kindOf(text.subarray(0, -1))).toBe('download manifest')
})

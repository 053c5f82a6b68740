import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packBlock } from '../../../test/commons/slicing/support/pack-bam.ts'
import { KIND_BYTES, kindOf } from './file-kind.ts'

const SAM = '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000\n'
const FASTQ = '@read1\nACGT\n+\nIIII\n'
const bytes = (text: string) => Buffer.from(text, 'latin1')

// The signatures are those of the specifications: SAMv1 4.2 and 5.2, CRAMv3 6, CSIv1, tabix, VCFv4.3 6.
test.each([
  ['empty', Buffer.alloc(0)],
  ['CRAM', bytes('CRAM\x03\x00name')],
  ['SAM', bytes(SAM)],
  ['SAM', bytes('@SQ\tSN:chr1\tLN:1000\n')],
  ['gzipped SAM', gzipSync(SAM)],
  ['gzipped SAM', packBlock(bytes(SAM))],
  ['gzip, but not BGZF', gzipSync(bytes('BAM\x01\x00\x00\x00\x00'))],
  ['gzip of something else', gzipSync('a\tb\n')],
  ['gzip of something else', packBlock(bytes('a\tb\n'))],
  ['BAM without its compression', bytes('BAM\x01\x00\x00\x00\x00')],
  ['an index', bytes('BAI\x01\x00\x00\x00\x00')],
  ['an index', packBlock(bytes('CSI\x01\x0e\x00\x00\x00'))],
  ['an index', packBlock(bytes('TBI\x01\x0e\x00\x00\x00'))],
  ['VCF', bytes('##fileformat=VCFv4.3\n')],
  ['VCF', packBlock(bytes('##fileformat=VCFv4.3\n'))],
  ['BCF', packBlock(bytes('BCF\x02\x02'))],
  ['FASTQ', bytes(FASTQ)],
  ['FASTQ', gzipSync(FASTQ)],
  ['FASTA', bytes('>chr1\nACGT\n')],
  ['text', bytes('id\tfilename\n')],
  ['something else', bytes('\x89PNG\r\n\x1a\n\x00')],
] as const)('%s', (kind, start) => {
  expect(kindOf(start)).toBe(kind)
})

test('BAM is nothing else, be it whole, cut off or damaged', () => {
  const block = packBlock(bytes('BAM\x01\x00\x00\x00\x00\x00\x00\x00\x00'))
  expect(kindOf(block)).toBeUndefined()
  expect(kindOf(Buffer.concat([packBlock(bytes('')), block]))).toBeUndefined()
  for (let end = 4; end < block.length; end++) {
    expect(kindOf(block.subarray(0, end)), `${end} bytes`).toBeUndefined()
  }
  const damaged = Buffer.from(block)
  damaged[20]! ^= 0xff
  expect(kindOf(damaged)).toBeUndefined()
})

test('little is unpacked of what is much', () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000)).subarray(0, KIND_BYTES)
  expect(kindOf(bomb)).toBe('gzip of something else')
})

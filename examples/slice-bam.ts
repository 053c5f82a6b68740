import { stat, writeFile } from 'node:fs/promises'
import { findIndex, sliceFile } from 'casemill/commons'
import { ThreadPool } from 'casemill/workers'

// Writes the reads of regions of a BAM file as a BAM file of their own.
//   slice-bam.ts SAMPLE.bam SLICE.bam REGION...

const [path, out, ...regions] = process.argv.slice(2)
if (!path || !out) throw new Error('give a BAM file, the file to write, and regions: chr1:100-200')

const pool = new ThreadPool({ threads: 2 })
try {
  await using slice = await sliceFile(
    { path, indexPath: await findIndex(path) },
    { regions, genes: [], bySymbols: async () => new Map() },
    pool,
  )
  // A chunk's memory is reused when the next chunk is requested, so each chunk is written before that.
  await writeFile(out, slice.body)
} finally {
  await pool.close()
}
console.log(`${out}\t${(await stat(out)).size} bytes`)

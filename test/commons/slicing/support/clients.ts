import { execFile } from 'node:child_process'
import { publicData } from '../../../../fixtures/public-data.ts'

// The outside resources that these tests need (see requirements.ts).

/** Folder of the public test data, next to the project. */
export const SHARED_BAM = publicData('data/bam')

/** Returns the standard output of a samtools command; fails if the command does. */
export function samtools(...words: string[]): Promise<Buffer> {
  return run('samtools', words)
}

interface More {
  /** The file to which samtools writes unplaced records. */
  readonly unplaced: string
  /** A BAM file that samtools must find intact. */
  readonly checked: string
}

/**
 * For each `x.bed` in a folder, makes samtools write the overlapping records of a BAM file into `x.bed.bam`. One
 * shell handles all of them, because starting a process from a large one is slow.
 */
export async function selectByBeds(bamPath: string, folder: string, more: More): Promise<void> {
  const beds = 'for b in "$2"/*.bed; do samtools view -u -M -L "$b" "$1" >"$b.bam"; done'
  const others = 'samtools view -u "$1" "*" >"$3"; samtools quickcheck -u "$4"'
  const script = `set -e; ${beds}; ${others}`
  await run('sh', ['-c', script, 'sh', bamPath, folder, more.unplaced, more.checked])
}

/** Makes samtools write a CSI for each BAM file of a folder, in one shell. */
export async function indexAll(folder: string): Promise<void> {
  const script = 'set -e; for b in "$1"/*.bam; do samtools index -c "$b" "$b.csi"; done'
  await run('sh', ['-c', script, 'sh', folder])
}

/** The md5 of `samtools view -h --no-PG` of each region of a file, in one shell. */
export async function viewEach(
  bamPath: string,
  indexPath: string,
  regions: readonly string[],
): Promise<string[]> {
  const view = 'samtools view -h --no-PG -X "$b" "$x" "$r" | md5sum'
  const script = `set -e; b=$1; x=$2; shift 2; for r in "$@"; do ${view}; done`
  const printed = await run('sh', ['-c', script, 'sh', bamPath, indexPath, ...regions])
  return printed
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice(0, 32))
}

function run(command: string, words: string[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    execFile(command, words, { maxBuffer: 1 << 29, encoding: 'buffer' }, (error, stdout) => {
      if (error) reject(error)
      else resolve(stdout)
    })
  })
}

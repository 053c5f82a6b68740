import { execFile } from 'node:child_process'
import { publicData } from '../../../../fixtures/public-data.ts'

// What these tests need from outside (see requirements.ts).

/** Folder of the public test data, beside the project. */
export const SHARED_BAM = publicData('data/bam')

/** Standard output of a samtools command; fails when the command does. */
export function samtools(...words: string[]): Promise<Buffer> {
  return run('samtools', words)
}

interface More {
  /** Where samtools writes the records without a place to. */
  readonly unplaced: string
  /** A BAM file of which samtools must say that it is whole. */
  readonly checked: string
}

/**
 * Has samtools write, for each `x.bed` of a folder, the records of a BAM file that overlap it into
 * `x.bed.bam`. One shell for all of them: starting a process from a large one takes long.
 */
export async function selectByBeds(bamPath: string, folder: string, more: More): Promise<void> {
  const beds = 'for b in "$2"/*.bed; do samtools view -u -M -L "$b" "$1" >"$b.bam"; done'
  const others = 'samtools view -u "$1" "*" >"$3"; samtools quickcheck -u "$4"'
  const script = `set -e; ${beds}; ${others}`
  await run('sh', ['-c', script, 'sh', bamPath, folder, more.unplaced, more.checked])
}

/** Has samtools write a CSI beside each BAM file of a folder, in one shell. */
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

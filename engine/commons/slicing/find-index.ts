import { stat } from 'node:fs/promises'
import { unlessAbsent } from '../../shared/unless-absent.ts'

/** Errors that mean that the file does not exist. A file whose name is too long cannot exist either. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']

/** Returns the index beside a BAM, CRAM, BCF or compressed line-based file under a usual name. */
export async function findIndex(path: string): Promise<string | undefined> {
  for (const candidate of candidatesFor(path)) {
    const stats = await unlessAbsent(stat(candidate), ABSENT)
    if (stats?.isFile()) return candidate
  }
  return undefined
}

function candidatesFor(path: string): readonly string[] {
  const stem = path.replace(/\.(bam|cram)$/i, '')
  if (/\.cram$/i.test(path)) return [`${path}.crai`, `${stem}.crai`]
  if (/\.bcf$/i.test(path)) return [`${path}.csi`]
  if (/\.b?gz$/i.test(path)) return [`${path}.tbi`, `${path}.csi`]
  return [`${path}.bai`, `${stem}.bai`, `${path}.csi`, `${stem}.csi`]
}

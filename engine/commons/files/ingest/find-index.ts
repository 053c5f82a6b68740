import { stat } from 'node:fs/promises'
import { unlessAbsent } from '../../../shared/unless-absent.ts'

/** A name that is too long for the file system cannot be there either. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']

/** The index that lies beside a BAM file under a usual name. */
export async function findIndex(path: string): Promise<string | undefined> {
  const stem = path.replace(/\.bam$/i, '')
  for (const candidate of [`${path}.bai`, `${stem}.bai`, `${path}.csi`, `${stem}.csi`]) {
    const stats = await unlessAbsent(stat(candidate), ABSENT)
    if (stats?.isFile()) return candidate
  }
  return undefined
}

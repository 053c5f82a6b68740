import type { Hdf5File } from './hdf5-file.ts'

const MAX_LAYERS = 20
/** Characters of a layer's name to show. */
const MAX_SHOWN = 80

/** Returns the names of the layers of an h5ad or loom file, which are further matrices beside the main one. */
export function layersOf(file: Hdf5File): readonly string[] {
  const names = file.kindOf('/layers') === 'group' ? file.namesIn('/layers') : []
  return names.slice(0, MAX_LAYERS).map((name) => `layers["${name.slice(0, MAX_SHOWN)}"]`)
}

import { join } from 'node:path'
import { stringify } from 'yaml'
import { FOLDERS, type KubernetesObject, type Kustomization, type ObjectFiles } from './objects.ts'

const MADE = `# Made by \`npm run docs\` out of tools/kubernetes/. What to change before you apply it:
# docs/how-to/operate/several-machines.md.
`

/** The files of docs/kubernetes, by path there. */
export function kubernetesPages(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(FOLDERS).flatMap(([folder, files]) =>
      Object.entries({ 'kustomization.yaml': kustomization(files), ...files }).map(
        ([name, object]) => [join(folder, name), page(object)],
      ),
    ),
  )
}

function kustomization(files: ObjectFiles): Kustomization {
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: Object.keys(files),
  }
}

/** kubectl reads YAML 1.1, where a bare `off` is no text. */
function page(object: KubernetesObject | Kustomization): string {
  const options = { version: '1.1', aliasDuplicateObjects: false, lineWidth: 100 } as const
  return MADE + stringify(object, options)
}

// ICD-O-3 sites that exist on both sides of the body, keyed by the rules that use them. Semicolons separate
// sites. Codes between two semicolons form one site.

export const PAIRED_SITES = {
  headAndNeck2007: 'C079; C080 C081; C090 C091 C098 C099; C300; C310 C312; C301',
  headAndNeck2018: 'C079; C080 C081; C098 C099; C301; C310 C312; C754',
  benignBrain2007: 'C700; C710; C711; C712; C713; C714; C722; C723; C724; C725',
  otherSites2007: `
    C384; C400; C401; C402; C403; C413; C414; C441; C442; C443; C445; C446; C447; C471; C472; C491;
    C492; C569; C570; C620-C629; C630; C631; C690-C699; C740-C749; C754
  `,
  otherSites2023: `
    C384; C400; C401; C402; C403; C441; C442; C443; C444; C445; C446; C447; C471; C472; C491; C492;
    C569; C570; C620-C629; C630; C631; C690-C699; C740-C749; C754
  `,
} as const

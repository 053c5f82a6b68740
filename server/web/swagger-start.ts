// Adapts Swagger UI to our API page. Served as separate files, because the page's policy allows no inline
// scripts.

/**
 * Fixes two problems of Swagger UI. Its search covers only the names of tags, so paths and summaries are
 * searched here, too. Its page is not accessible, so elements get labels, links are moved out of buttons, and
 * scrollable areas can be reached by keyboard.
 */
export const START = `
const casemill = ({ React }) => ({
  components: {
    // Swagger UI's own component is a link inside a button.
    DeepLink: ({ text }) => React.createElement('span', null, text),
  },
  fn: {
    opsFilter(tags, phrase) {
      const words = phrase.toLowerCase().split(/\\s+/)
      return tags
        .map((tag, name) =>
          tag.update('operations', (operations) =>
            operations.filter((one) => {
              const text = [name, one.get('method'), one.get('path'), one.getIn(['operation', 'summary'])]
              return words.every((word) => text.join(' ').toLowerCase().includes(word))
            }),
          ),
        )
        .filter((tag) => tag.get('operations').size > 0)
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        // Operations that the search finds are shown without another click.
        isShown: (original) => (state, thing, byDefault) => {
          const phrase = state.get('filter')
          const isSearched = typeof phrase === 'string' && !['', 'true', 'false'].includes(phrase)
          return (isSearched && thing[0] === 'operations-tag') || original(thing, byDefault)
        },
      },
    },
  },
})

const root = document.getElementById('api')

function label(field) {
  const row = field.closest('[data-param-name]')
  if (row) return row.dataset.paramName
  if (field.id === 'servers') return 'Server'
  if (field.closest('.content-type-wrapper')) return 'Content type'
  if (field.closest('.opblock-section-request-body')) return 'Request body'
  return field.labels?.[0]?.textContent.trim() || field.placeholder || 'Value'
}

function mend() {
  const fields = 'select, textarea, input:not([type=checkbox])'
  for (const field of root.querySelectorAll(fields)) field.ariaLabel ||= label(field)
  for (const button of root.querySelectorAll('.copy-to-clipboard button')) button.ariaLabel = 'Copy'
  for (const button of root.querySelectorAll('.close-modal')) button.ariaLabel = 'Close'
  // The ARIA label of these elements differs from their visible text.
  for (const button of root.querySelectorAll('.modal-btn')) button.removeAttribute('aria-label')
  for (const area of root.querySelectorAll('pre.microlight')) area.tabIndex = 0
}

new MutationObserver(mend).observe(root, { childList: true, subtree: true })

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Its badge would be an outside request.
  validatorUrl: null,
  plugins: [casemill],
})
`

/** Colours with sufficient contrast (at least 4.5 to 1). */
export const STYLE = `
.swagger-ui .info .title small { background: #4a525c }
.swagger-ui .info .title small.version-stamp { background: #3f6212 }
.swagger-ui a.link, .swagger-ui .info a, .swagger-ui .info .url { color: #1a56a0 }
.swagger-ui .btn.authorize { color: #0b6b3a; border-color: #0b6b3a }
.swagger-ui .btn.authorize svg { fill: #0b6b3a }
.swagger-ui .btn.cancel { color: #b42318; border-color: #b42318 }
.swagger-ui .btn.execute { background: #1a56a0; border-color: #1a56a0 }
.swagger-ui .download-contents { background: #4a525c }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a56a0 }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #0b6b3a }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a4b00 }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f6674 }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b42318 }
.swagger-ui .parameter__in, .swagger-ui .parameter__deprecated, .swagger-ui .prop-format,
.swagger-ui .parameter__name.required::after, .swagger-ui .response-col_links { color: #4a525c }
.swagger-ui .microlight span[style*="rgb(211, 99, 99)"] { color: #ffb3b3 !important }
`

/** `npm run example` starts the example backend, and `npm run example -- embed` the pages with the embedded phone. */
const examples = ['backend', 'embed'];
const [, , name = 'backend'] = process.argv;

if (examples.includes(name)) {
  await import(`./${name}/server.js`);
} else {
  console.error(`Unknown example: ${name}. Available: ${examples.join(', ')}.`);
  process.exitCode = 1;
}

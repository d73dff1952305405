/** `npm run example` starts the example backend, `npm run example -- embed` the pages with the phone in them. */
const examples = ['backend', 'embed'];
const [, , name = 'backend'] = process.argv;

if (examples.includes(name)) {
  await import(`./${name}/server.js`);
} else {
  console.error(`There is no example ${name}. There are: ${examples.join(', ')}.`);
  process.exitCode = 1;
}

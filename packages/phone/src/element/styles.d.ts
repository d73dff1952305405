/** Compiled from `phone.css` by scripts/build.ts. */
declare module 'phone-styles' {
  const css: string;
  export default css;
}

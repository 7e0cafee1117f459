// Certificates as a hosted platform has them: an authority of its own, and a server's certificate that it has issued. Made by openssl.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
const day = (days) => `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;

/** A certificate authority in a folder of its own. `file` is what clients trust. */
export class Authority {
  constructor(folder, name) {
    this.folder = path.join(folder, name);
    this.file = path.join(this.folder, "ca.crt");
    fs.mkdirSync(this.folder, { recursive: true });
    fs.writeFileSync(path.join(this.folder, "index.txt"), "");
    fs.writeFileSync(path.join(this.folder, "ca.conf"), `[ca]
default_ca = own
[own]
database = ${this.folder}/index.txt
new_certs_dir = ${this.folder}
certificate = ${this.file}
private_key = ${this.folder}/ca.key
default_md = sha256
rand_serial = yes
unique_subject = no
policy = any
[any]
commonName = supplied
`);
    this.#openssl("req", "-x509", ...KEY, "-keyout", "ca.key", "-out", "ca.crt", "-subj", `/CN=${name}`, "-days", "30");
  }

  /** Issues a certificate: {certificate, key}, both files. `names` are those of the host; `ends` is how many days from now it is good. */
  issue(name, { names = [], ends = 30 } = {}) {
    const files = { certificate: path.join(this.folder, `${name}.crt`), key: path.join(this.folder, `${name}.key`) };
    fs.writeFileSync(path.join(this.folder, `${name}.ext`), `basicConstraints = CA:FALSE\n${names.length > 0 ? `subjectAltName = ${names.join(", ")}\n` : ""}`);
    this.#openssl("req", ...KEY, "-keyout", files.key, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    this.#openssl("ca", "-batch", "-notext", "-config", "ca.conf", "-in", `${name}.csr`, "-out", files.certificate,
      "-startdate", day(ends - 60), "-enddate", day(ends), "-extfile", `${name}.ext`);
    return files;
  }

  #openssl(...args) {
    execFileSync("openssl", args, { cwd: this.folder, stdio: ["ignore", "ignore", "pipe"] });
  }
}
